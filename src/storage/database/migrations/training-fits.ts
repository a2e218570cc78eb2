// [coordinator] Fits that a search or an ensemble has finished, so that a training that is taken over repeats none of them.
import { statementsMigration } from '../statements-migration.ts';

export const trainingFits = statementsMigration([
  `create table training_fits (
    training uuid not null references trainings,
    name text not null,
    blob uuid not null references blobs,
    saved timestamptz not null default now(),
    primary key (training, name)
  )`,
]);
