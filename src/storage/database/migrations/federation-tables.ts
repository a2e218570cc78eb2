// [coordinator] The first migration: all tables of schema.ts.
import { statementsMigration } from '../statements-migration.ts';

export const federationTables = statementsMigration([
  `create table federations (
    name text primary key check (name ~ '^[a-z0-9-]{1,60}$'),
    classes jsonb,
    active_model integer,
    created timestamptz not null default now()
  )`,
  `create table members (
    id uuid primary key,
    federation text references federations,
    owner text not null,
    role text not null check (role in ('owner', 'labels', 'operator')),
    key_id text not null unique,
    public_key jsonb not null,
    joined timestamptz not null default now(),
    revoked timestamptz
  )`,
  `create unique index members_name on members (coalesce(federation, ''), owner) where revoked is null`,
  `create table invitations (
    code_hash text primary key,
    federation text not null references federations,
    owner text not null,
    role text not null check (role in ('owner', 'labels', 'operator')),
    created timestamptz not null default now(),
    expires timestamptz not null,
    member uuid references members
  )`,
  `create table used_tokens (jti text primary key, expires timestamptz not null)`,
  `create index used_tokens_expires on used_tokens (expires)`,
  `create table blobs (id uuid primary key, created timestamptz not null default now())`,
  `create table blob_chunks (
    blob uuid not null references blobs on delete cascade,
    position bigint not null check (position >= 0),
    bytes bytea not null check (octet_length(bytes) between 1 and 1048576),
    primary key (blob, position)
  )`,
  // Embeddings and weights do not compress; trying costs more than the disk's time.
  `alter table blob_chunks alter column bytes set storage external`,
  `create table uploads (
    id uuid primary key,
    federation text not null references federations,
    member uuid not null references members,
    kind text not null check (kind in ('bundle', 'labels')),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    size bigint not null check (size > 0),
    received bigint not null default 0 check (received between 0 and size),
    state text not null default 'open' check (state in ('open', 'complete')),
    version integer check ((version is null) = (state = 'open')),
    blob uuid not null references blobs,
    created timestamptz not null default now(),
    touched timestamptz not null default now(),
    unique (member, kind, sha256)
  )`,
  `create index uploads_open on uploads (touched) where state = 'open'`,
  `create table bundles (
    federation text not null references federations,
    owner text not null,
    version integer not null,
    member uuid not null references members,
    blob uuid not null references blobs,
    sha256 text not null,
    size bigint not null,
    summary jsonb not null,
    created timestamptz not null default now(),
    primary key (federation, owner, version)
  )`,
  `create table label_sets (
    federation text not null references federations,
    version integer not null,
    member uuid not null references members,
    blob uuid not null references blobs,
    sha256 text not null,
    size bigint not null,
    summary jsonb not null,
    created timestamptz not null default now(),
    primary key (federation, version)
  )`,
  `create table trainings (
    id uuid primary key,
    federation text not null references federations,
    requested_by text not null,
    options jsonb not null,
    status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
    attempt integer not null default 0,
    progress jsonb,
    cancel_requested boolean not null default false,
    error jsonb,
    model_version integer,
    created timestamptz not null default now(),
    started timestamptz,
    finished timestamptz
  )`,
  `create index trainings_federation on trainings (federation, created)`,
  `create table checkpoints (
    training uuid not null references trainings,
    learning_rate double precision not null,
    blob uuid not null references blobs,
    saved timestamptz not null default now(),
    primary key (training, learning_rate)
  )`,
  `create table models (
    federation text not null references federations,
    version integer not null,
    training uuid references trainings,
    card jsonb not null,
    blob uuid not null references blobs,
    created timestamptz not null default now(),
    primary key (federation, version)
  )`,
  `alter table federations add foreign key (name, active_model) references models (federation, version)`,
  `create table audit (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    federation text,
    actor text not null,
    action text not null,
    details jsonb not null
  )`,
  `create index audit_federation on audit (federation, id)`,
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit log is append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
    end
  $$`,
  `create trigger audit_append_only before update or delete or truncate on audit
    for each statement execute function refuse_audit_change()`,
  `create table live_embeddings (
    federation text not null references federations,
    sample text not null,
    owner text not null,
    embedding bytea not null,
    expires timestamptz not null,
    primary key (federation, sample, owner)
  )`,
  `create index live_embeddings_expires on live_embeddings (expires)`,
]);
