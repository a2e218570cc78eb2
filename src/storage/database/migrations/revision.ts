// [coordinator] The third migration: a number that rises with every change to what coordinators remember.
import { statementsMigration } from '../statements-migration.ts';

export const revision = statementsMigration([
  `create table revision (single boolean primary key default true check (single), number bigint not null default 0)`,
  `insert into revision default values`,
  // A row, not a sequence: its new number is seen together with the change that raised it, and not before.
  `create function raise_revision() returns trigger language plpgsql as $$
    begin
      update revision set number = number + 1;
      perform pg_notify('f3_revision', '');
      return null;
    end
  $$`,
  `create trigger members_revision after update or delete on members
    for each statement execute function raise_revision()`,
  `create trigger federations_revision after update or delete on federations
    for each statement execute function raise_revision()`,
]);
