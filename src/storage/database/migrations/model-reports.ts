// [coordinator] The seventeenth migration: the losses of each training, and what was found out about a model after it was trained.
import { statementsMigration } from '../statements-migration.ts';

export const modelReports = statementsMigration([
  `alter table trainings add column curve jsonb`,
  `create table model_reports (
    federation text not null,
    version integer not null,
    kind text not null,
    report jsonb not null,
    made timestamptz not null default now(),
    primary key (federation, version, kind),
    foreign key (federation, version) references models
  )`,
]);
