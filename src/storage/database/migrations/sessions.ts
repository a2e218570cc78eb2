// [coordinator] The fifteenth migration: sessions of the dashboard and the one-time codes that open them, kept as their hashes.
import { statementsMigration } from '../statements-migration.ts';

export const sessions = statementsMigration([
  `create table session_codes (
    hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
    member uuid not null references members,
    key_id text not null,
    expires timestamptz not null
  )`,
  `create table sessions (
    id uuid primary key,
    hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
    member uuid not null references members,
    key_id text not null,
    address text,
    opened timestamptz not null default now(),
    last_used timestamptz not null,
    expires timestamptz not null,
    ended timestamptz
  )`,
  `create index sessions_member on sessions (member)`,
  // When a session was used last is nobody's to remember: only what ends one raises the revision.
  `create trigger sessions_revision after update of ended or delete on sessions
    for each statement execute function raise_revision()`,
]);
