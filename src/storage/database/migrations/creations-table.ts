// [coordinator] The second migration: which requests made what, so that one that is sent again makes nothing more.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `create table creations (
    member uuid not null references members,
    key text not null,
    request text not null,
    subject text not null default '',
    created timestamptz not null default now(),
    primary key (member, key)
  )`,
  `create index creations_created on creations (created)`,
];

export const creationsTable: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
