// [coordinator] The seventh migration: static tokens that may predict in one federation, kept as their hash.
import { statementsMigration } from '../statements-migration.ts';

export const inferenceTokens = statementsMigration([
  `create table inference_tokens (
    id uuid primary key,
    federation text not null references federations,
    name text not null,
    hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
    created timestamptz not null default now(),
    created_by text not null,
    expires timestamptz,
    revoked timestamptz,
    last_used timestamptz
  )`,
  `create unique index inference_tokens_name on inference_tokens (federation, name) where revoked is null`,
  // When a token was used last is nobody's to remember: only what ends one raises the revision.
  `create trigger inference_tokens_revision after update of hash, revoked, expires or delete on inference_tokens
    for each statement execute function raise_revision()`,
]);
