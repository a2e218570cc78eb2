// [coordinator] The fifth migration: invitations have an id to be named by, and may be cancelled.
import { statementsMigration } from '../statements-migration.ts';

export const invitationIds = statementsMigration([
  `alter table invitations add column id uuid not null unique default gen_random_uuid()`,
  `alter table invitations add column cancelled timestamptz`,
  `create index invitations_open on invitations (federation, owner) where member is null and cancelled is null`,
]);
