// [coordinator] Counts what members and federations have taken, and refuses more than their quotas allow.
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import type { UploadKind } from '../exchange/messages.ts';
import { QUOTAS, type QuotaName, type Quotas, type QuotaUsage } from '../exchange/quotas.ts';
import { lockFederation } from './federations.ts';
import { LABEL_BLOCK } from './label-sets.ts';
import type { Db } from './schema.ts';

/** The quotas of a federation: `standard`, but for what was set for this federation. */
export async function quotasOf(db: Db, federation: string, standard: Quotas): Promise<Quotas> {
  const row = await db.selectFrom('quotas').select('limits').where('federation', '=', federation).executeTakeFirst();
  return { ...standard, ...row?.limits };
}

/** Sets some quotas of a federation; null puts one back to the standard. Gives what differs from the standard now. */
export async function setQuotas(
  trx: Db,
  federation: string,
  changes: Partial<Record<QuotaName, number | null | undefined>>,
): Promise<Partial<Quotas>> {
  await lockFederation(trx, federation);
  const row = await trx.selectFrom('quotas').select('limits').where('federation', '=', federation).executeTakeFirst();
  const merged = Object.entries({ ...row?.limits, ...changes }).filter(([, most]) => typeof most === 'number');
  const limits = Object.fromEntries(merged) as Partial<Quotas>;
  const values = { federation, limits: JSON.stringify(limits) };
  await trx
    .insertInto('quotas')
    .values(values)
    .onConflict((conflict) => conflict.column('federation').doUpdateSet({ limits: values.limits }))
    .execute();
  return limits;
}

export interface UploadRoom {
  federation: string;
  /** The name of the sender: another key of the same name counts together with the first. */
  owner: string;
  kind: UploadKind;
  size: number;
  quotas: Quotas;
}

/**
 * Throws if an upload of that size is more than the sender or its federation may keep. The announced size counts from the
 * announcement on. The federation stays locked until the transaction ends, so of two uploads at once the second sees the first.
 */
export async function requireRoom(trx: Db, { federation, owner, kind, size, quotas }: UploadRoom): Promise<void> {
  await lockFederation(trx, federation);
  await requireVersions(trx, { federation, owner, kind, quotas });
  const own = await bytesOfMember(trx, federation, owner);
  if (own + size > quotas.memberBytes) throw exceeded('memberBytes', owner, quotas, own, size);
  const all = await federationBytes(trx, federation);
  if (all + size > quotas.federationBytes) throw exceeded('federationBytes', federation, quotas, all, size);
}

/** Throws if that many bytes of shares, which entities hold for an owner, are more than it or its federation may keep. */
export async function requireSharesRoom(
  trx: Db,
  { federation, owner, bytes, quotas }: { federation: string; owner: string; bytes: number; quotas: Quotas },
): Promise<void> {
  const own = await bytesOfMember(trx, federation, owner);
  if (own + bytes > quotas.memberBytes) throw exceeded('memberBytes', owner, quotas, own, bytes);
  const all = await federationBytes(trx, federation);
  if (all + bytes > quotas.federationBytes) throw exceeded('federationBytes', federation, quotas, all, bytes);
}

/** Bytes that a member has sent and that are kept, by the coordinator or in shares by entities. */
export async function bytesOfMember(db: Db, federation: string, owner: string): Promise<number> {
  return (await memberBytes(db, federation)).find((one) => one.member === owner)?.used ?? 0;
}

/** Throws if the sender keeps as many versions as it may. */
export async function requireVersions(
  trx: Db,
  { federation, owner, kind, quotas }: Omit<UploadRoom, 'size'>,
): Promise<void> {
  const versions = (await memberVersions(trx, federation, kind)).find((one) => one.member === owner)?.used ?? 0;
  if (versions >= quotas.memberVersions) throw exceeded('memberVersions', owner, quotas, versions);
}

/** Throws if as many trainings wait as may. The federation is locked, as by `requireRoom`. */
export async function requireQueue(trx: Db, federation: string, member: string, quotas: Quotas): Promise<void> {
  await lockFederation(trx, federation);
  const waiting = await queuedTrainings(trx, federation);
  const own = waiting.find((one) => one.member === member)?.used ?? 0;
  if (own >= quotas.memberQueued) throw exceeded('memberQueued', member, quotas, own);
  const all = waiting.reduce((sum, { used }) => sum + used, 0);
  if (all >= quotas.federationQueued) throw exceeded('federationQueued', federation, quotas, all);
}

/**
 * Throws if the long lists of a training's plan, which is kept with the training, are more than the federation may keep. The caller
 * has locked the federation.
 */
export async function requirePlanRoom(trx: Db, federation: string, bytes: number, quotas: Quotas): Promise<void> {
  if (bytes === 0) return;
  const all = await federationBytes(trx, federation);
  if (all + bytes > quotas.federationBytes) throw exceeded('federationBytes', federation, quotas, all, bytes);
}

export function exceeded(quota: QuotaName, whose: string, quotas: Quotas, used: number, more = 0): F3Error {
  const subject = quota.startsWith('member') ? `member ${whose}` : `federation ${whose}`;
  const rule = `may take at most ${quotas[quota]} of quota ${quota} (${QUOTAS[quota].says})`;
  const got = more > 0 ? `${used} taken and ${more} more` : `${used} taken`;
  return new F3Error('F3_QUOTA', `${subject}: ${rule}, got ${got}`);
}

/**
 * What is taken of every quota that the database can count. With `member`, what that one has taken of the quotas per member,
 * and otherwise what the one has that has taken the most.
 */
export async function quotaUsage(
  db: Db,
  federation: string,
  quotas: Quotas,
  member?: string | undefined,
): Promise<QuotaUsage[]> {
  const versions = [
    ...(await memberVersions(db, federation, 'bundle')),
    ...(await memberVersions(db, federation, 'labels')),
  ];
  const waiting = await queuedTrainings(db, federation);
  const running = await db
    .selectFrom('trainings')
    .select(sql<number>`count(*)::int`.as('used'))
    .where('federation', '=', federation)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  const of = (quota: QuotaName, used: number) => ({ quota, most: quotas[quota], used });
  const most = (quota: QuotaName, members: readonly MemberUse[]) => {
    const seen = members.filter((one) => member === undefined || one.member === member);
    const first = seen.toSorted((a, b) => b.used - a.used).at(0);
    return { ...of(quota, first?.used ?? 0), ...(first && { member: first.member }) };
  };
  return [
    most('memberBytes', await memberBytes(db, federation)),
    of('federationBytes', await federationBytes(db, federation)),
    most('memberVersions', versions),
    most('memberQueued', waiting),
    of(
      'federationQueued',
      waiting.reduce((sum, { used }) => sum + used, 0),
    ),
    of('federationRunning', running.used),
  ];
}

/** Names of the federations that have taken anything of a quota; most of a thousand may have nothing. */
export async function federationsInUse(db: Db): Promise<string[]> {
  const { rows } = await sql<{ federation: string }>`
    select federation from bundles union select federation from label_sets union select federation from uploads
    union select federation from trainings union select federation from models`.execute(db);
  return rows.map(({ federation }) => federation);
}

interface MemberUse {
  member: string;
  used: number;
}

/** Versions that have the same bytes share them, so that they count once. Shares count where entities hold them. */
async function memberBytes(db: Db, federation: string): Promise<MemberUse[]> {
  const { rows } = await sql<MemberUse>`
    select owner as member, sum(size)::float8 as used from (
      select distinct on (blob) blob, owner, size from (
        select blob, owner, size + coalesce((summary->>'shareBytes')::float8, 0) as size
          from bundles where federation = ${federation}
        union all
        select label_sets.blob, members.owner, ceil(label_sets.size / ${LABEL_BLOCK}::float8) * ${LABEL_BLOCK}::float8
          from label_sets join members on members.id = label_sets.member
          where label_sets.federation = ${federation}
        union all
        select uploads.blob, members.owner, case uploads.kind
            when 'labels' then ceil(uploads.size / ${LABEL_BLOCK}::float8) * ${LABEL_BLOCK}::float8 else uploads.size end
          from uploads join members on members.id = uploads.member
          where uploads.federation = ${federation} and uploads.state = 'open'
      ) as kept order by blob, owner
    ) as once group by owner order by owner`.execute(db);
  return rows;
}

async function federationBytes(db: Db, federation: string): Promise<number> {
  const sent = (await memberBytes(db, federation)).reduce((sum, { used }) => sum + used, 0);
  const { rows } = await sql<{ used: number }>`
    select coalesce(sum(octet_length(bytes)), 0)::float8 as used from blob_chunks
      where blob in (select blob from models where federation = ${federation})
    union all
    select coalesce(sum(pg_column_size(options)), 0)::float8 from trainings
      where federation = ${federation} and jsonb_exists(options, 'packed')`.execute(db);
  return rows.reduce((sum, { used }) => sum + used, sent);
}

async function memberVersions(db: Db, federation: string, kind: UploadKind): Promise<MemberUse[]> {
  const used = sql<number>`count(*)::int`.as('used');
  if (kind === 'bundle') {
    return db
      .selectFrom('bundles')
      .select(['owner as member', used])
      .where('federation', '=', federation)
      .groupBy('owner')
      .execute();
  }
  return db
    .selectFrom('labelSets')
    .innerJoin('members', 'members.id', 'labelSets.member')
    .select(['members.owner as member', used])
    .where('labelSets.federation', '=', federation)
    .groupBy('members.owner')
    .execute();
}

function queuedTrainings(db: Db, federation: string): Promise<MemberUse[]> {
  return db
    .selectFrom('trainings')
    .select(['requestedBy as member', sql<number>`count(*)::int`.as('used')])
    .where('federation', '=', federation)
    .where('status', '=', 'queued')
    .groupBy('requestedBy')
    .execute();
}
