// [coordinator] The sixth migration: which versions of bundles were deleted, so that none is ever given out twice.
import { statementsMigration } from '../statements-migration.ts';

export const deletedBundles = statementsMigration([
  `create table deleted_bundles (
    federation text not null references federations,
    owner text not null,
    version integer not null,
    sha256 text not null,
    size bigint not null,
    deleted timestamptz not null default now(),
    primary key (federation, owner, version)
  )`,
  // Whether anything else has the same bytes is asked with each deletion.
  `create index bundles_blob on bundles (blob)`,
  `create index uploads_blob on uploads (blob)`,
]);
