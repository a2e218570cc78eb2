// [coordinator] The fifth migration: invitations have an id to be named by, and may be cancelled.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `alter table invitations add column id uuid not null unique default gen_random_uuid()`,
  `alter table invitations add column cancelled timestamptz`,
  `create index invitations_open on invitations (federation, owner) where member is null and cancelled is null`,
];

export const invitationIds: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
