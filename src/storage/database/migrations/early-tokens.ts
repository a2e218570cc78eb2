// [coordinator] Used tokens need no flush of the disk each: those that a crash may make good again lie in a table of their own.
import { statementsMigration } from '../statements-migration.ts';

export const earlyTokens = statementsMigration([
  `create table early_tokens (jti text primary key, expires timestamptz not null)`,
  `insert into early_tokens select jti, expires from used_tokens`,
  // PostgreSQL empties such a table when it recovers from a crash; the clock's mark says which tokens that may have been.
  `alter table used_tokens set unlogged`,
  // This row goes with the others. All tokens of before are known, so none is refused for its time.
  `insert into used_tokens values ('life', 'epoch')`,
]);
