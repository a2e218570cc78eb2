// [coordinator] Quotas of single federations, whose turn a training is, and how much memory trainings and workers have.
import { statementsMigration } from '../statements-migration.ts';

export const quotas = statementsMigration([
  `create table quotas (
    federation text primary key references federations,
    limits jsonb not null
  )`,
  `create trigger quotas_revision after insert or update or delete on quotas
    for each statement execute function raise_revision()`,
  // Trainings that wait are taken by turn, in which federations alternate; those of before keep the order they came in.
  `alter table trainings add column turn integer not null default 0`,
  `create index trainings_waiting on trainings (federation, requested_by) where status in ('queued', 'running')`,
  `alter table workers add column memory bigint`,
]);
