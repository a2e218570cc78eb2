// [coordinator] The fourth migration: models that are candidates until they are promoted, what became of each training's model, and
// which workers are there.
import { statementsMigration } from '../statements-migration.ts';

export const modelCandidates = statementsMigration([
  `alter table models add column activated timestamptz`,
  // Until now every model became the active one when its training ended.
  `update models set activated = created`,
  `alter table trainings add column promotion jsonb`,
  `create table workers (
    id uuid primary key,
    started timestamptz not null default now(),
    seen timestamptz not null default now()
  )`,
]);
