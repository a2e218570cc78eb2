// [coordinator] Keys that members have replaced, with the time until which each is still accepted.
import { statementsMigration } from '../statements-migration.ts';

export const formerKeys = statementsMigration([
  `create table former_keys (
    key_id text primary key,
    member uuid not null references members,
    public_key jsonb not null,
    replaced timestamptz not null default now(),
    ends timestamptz not null
  )`,
  `create index former_keys_member on former_keys (member)`,
  `create trigger former_keys_revision after insert or update or delete on former_keys
    for each statement execute function raise_revision()`,
]);
