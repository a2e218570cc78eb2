// [coordinator] The second migration: which requests made what, so that one that is sent again makes nothing more.
import { statementsMigration } from '../statements-migration.ts';

export const creationsTable = statementsMigration([
  `create table creations (
    member uuid not null references members,
    key text not null,
    request text not null,
    subject text not null default '',
    created timestamptz not null default now(),
    primary key (member, key)
  )`,
  `create index creations_created on creations (created)`,
]);
