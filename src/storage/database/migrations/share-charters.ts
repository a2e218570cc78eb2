// [coordinator] Federations whose embeddings lie in shares with entities: their charter, and what each entity has shown.
import { statementsMigration } from '../statements-migration.ts';

export const shareCharters = statementsMigration([
  // A key per federation: whoever has it may ask this federation's entities to compute, and no others.
  `create table share_charters (
    federation text primary key references federations,
    fingerprint text not null unique,
    charter jsonb not null,
    key jsonb not null,
    created timestamptz not null default now()
  )`,
  `create table share_entities (
    federation text not null references share_charters,
    entity integer not null,
    epoch integer not null,
    ledger jsonb not null,
    seen timestamptz not null,
    primary key (federation, entity)
  )`,
  // Where an owner sent shares, its ticket stands here and no embedding.
  `alter table live_embeddings add column ticket text`,
  `alter table live_embeddings add column width integer`,
]);
