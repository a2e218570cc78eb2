// [coordinator] The latest time that the coordinator has lived through, and up to when used tokens are forgotten.
import { statementsMigration } from '../statements-migration.ts';

export const clock = statementsMigration([
  `create table clock (
    single boolean primary key default true check (single),
    mark timestamptz not null,
    forgotten timestamptz not null
  )`,
  // Which tokens were used before is known of PostgreSQL only, so all of that time counts as lived through.
  `insert into clock (mark, forgotten) values (now(), 'epoch')`,
]);
