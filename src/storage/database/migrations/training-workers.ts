// [coordinator] Which worker took a training last.
import { statementsMigration } from '../statements-migration.ts';

export const trainingWorkers = statementsMigration([`alter table trainings add column worker text`]);
