// [coordinator] What label holders allow, which sets of samples scores were told of, and who asked for a training.
import { statementsMigration } from '../statements-migration.ts';

export const labelRules = statementsMigration([
  // All of it belongs to the key that sent the labels, not to a name: whoever is invited under that name later inherits nothing.
  `create table label_rules (holder uuid primary key references members, rules jsonb not null)`,
  `create table label_grants (
    holder uuid not null references members,
    member uuid not null references members,
    trainings integer not null check (trainings >= 0),
    any_split boolean not null,
    exact_scores boolean not null,
    granted timestamptz not null default now(),
    primary key (holder, member)
  )`,
  `create table scored_parts (
    holder uuid not null references members,
    sha256 text not null,
    ids bytea not null,
    primary key (holder, sha256)
  )`,
  `create table label_keys (federation text primary key references federations, key uuid not null default gen_random_uuid())`,
  `alter table trainings add column asked_by uuid references members`,
  `alter table trainings add column disclosure jsonb`,
]);
