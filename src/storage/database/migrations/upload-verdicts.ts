// [coordinator] This migration keeps what the check of an upload found, and how often a check was begun.
import { statementsMigration } from '../statements-migration.ts';

export const uploadVerdicts = statementsMigration([
  `alter table uploads add column verdict jsonb, add column checks integer not null default 0`,
  `alter table uploads drop constraint uploads_state_check`,
  `alter table uploads add constraint uploads_state_check check (state in ('open', 'complete', 'refused'))`,
  `alter table uploads drop constraint uploads_check1`,
  `alter table uploads add constraint uploads_version_check check ((version is not null) = (state = 'complete'))`,
]);
