// [coordinator] Opens uploads, appends to them and completes them. An upload counts whole or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { appendAudit } from '../../storage/audit.ts';
import { addBundle, latestBundles, listBundles, nextVersion } from '../../storage/bundles.ts';
import { lockFederation, requireFederation } from '../../storage/federations.ts';
import { labelKeyOf } from '../../storage/label-rules.ts';
import { addLabelSet, latestLabelSet, toldLabelBytes } from '../../storage/label-sets.ts';
import { quotasOf, requireRoom, requireSharesRoom, requireVersions } from '../../storage/quotas.ts';
import type { Db, JsonObject, MemberRow, UploadRow } from '../../storage/schema.ts';
import { findCharter, rootOf } from '../../storage/share-charters.ts';
import { summaryOf, type UploadVerdict } from '../../storage/upload-verdicts.ts';
import {
  appendToUpload,
  type Completion,
  completeUpload,
  listOpenUploads,
  openUpload,
  requireUpload,
} from '../../storage/uploads.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import type { ServerContext } from '../server-context.ts';
import { keyedHash } from '../training/disclosure.ts';
import { checkRules } from '../uploads/upload-checks.ts';
import { federationParams } from './federations.ts';

/** A check that takes longer is answered as under way, before proxies lose their patience. */
const PATIENCE_MS = 25_000;
const SENDERS = ['owner', 'labels'] as const;
const newUpload = z.object({
  kind: z.enum(['bundle', 'labels']),
  size: z.number().int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The bundle's embeddings lie in shares with the entities, and this announces them. */
  shares: z.boolean().default(false),
});
const completion = z.object({ width: z.literal('new').optional(), again: z.literal('yes').optional() });
const uploadParams = federationParams.extend({ id: z.uuid() });

export function addUploads(
  app: TypedApp,
  { store: { db }, checks, disk, limits, quotas: standard, shares }: ServerContext,
): void {
  app.addHook('preClose', () => checks.close());
  const config = { allow: SENDERS, needsKey: true };
  const stateOf = ({ id, received, state }: UploadRow) => ({ id, received, state });

  app.post(
    '/v1/federations/:federation/uploads',
    { schema: { params: federationParams, body: newUpload }, config },
    async (request) => {
      const { body, member, params } = request;
      const { federation } = params;
      const wanted = member.role === 'labels' ? 'labels' : 'bundle';
      if (body.kind !== wanted) {
        throw new F3Error('F3_AUTH_FORBIDDEN', `member ${member.owner}: may send ${wanted} only, got ${body.kind}`);
      }
      if (body.kind === 'bundle') await requireSharing(db, federation, member.owner, body.shares);
      const most = body.kind === 'bundle' ? limits.bundleBytes : limits.labelBytes;
      if (body.size > most) {
        throw new F3Error('F3_UPLOAD_LIMIT', `upload: size must be at most ${most} bytes, got ${body.size}`);
      }
      const { kind, size, sha256 } = body;
      const room = async (trx: Db) => {
        const quotas = await quotasOf(trx, federation, standard);
        await requireRoom(trx, { federation, owner: member.owner, kind, size, quotas });
      };
      const options = { rules: checkRules(limits), requireRoom: room };
      return stateOf(await openUpload(db, { kind, size, sha256, federation, member: member.id }, options));
    },
  );

  app.get(
    '/v1/federations/:federation/uploads',
    { schema: { params: federationParams }, config },
    async ({ member }) => {
      const open = await listOpenUploads(db, member.id);
      return {
        uploads: open.map(({ id, kind, size, received, sha256, touched }) => ({
          id,
          kind,
          size,
          received,
          sha256,
          touched,
        })),
      };
    },
  );

  app.get(
    '/v1/federations/:federation/uploads/:id',
    { schema: { params: uploadParams }, config },
    async ({ params, member }) => stateOf(await ownUpload(db, params.id, member)),
  );

  const at = z.object({ offset: z.coerce.number().int().min(0) });
  app.put(
    '/v1/federations/:federation/uploads/:id',
    { schema: { params: uploadParams, querystring: at }, bodyLimit: BODY_BYTES.content, config },
    async ({ params: { id }, query: { offset }, rawBody, member }) => {
      await ownUpload(db, id, member);
      await disk.requireRoom(rawBody.length);
      return { received: await appendToUpload(db, id, offset, rawBody) };
    },
  );

  app.post(
    '/v1/federations/:federation/uploads/:id/complete',
    { schema: { params: uploadParams, querystring: completion }, config },
    async ({ params: { id, federation: name }, query: { width, again }, member }, reply) => {
      const federation = await requireFederation(db, name);
      const upload = await ownUpload(db, id, member);
      if (
        upload.received === upload.size &&
        !(await isChecked(upload, () => checks.verdict(upload, federation, member)))
      ) {
        reply.code(202);
        return { kind: upload.kind, state: 'checking' as const };
      }
      const newest = (on: Db, { kind }: UploadRow) => newestVersion(on, name, kind, member.owner);
      const work: Completion = {
        check: (unchecked) => checks.verdict(unchecked, federation, member),
        agree: async ({ kind }, summary) => {
          if (kind !== 'bundle') return;
          await checkAgreement(db, name, member.owner, summary, { isNewWidth: width === 'new' });
          const root = rootOf(summary);
          if (root !== undefined) await shares.requireHeld(name, root, `bundle ${member.owner}`);
        },
        insert: async (trx, checked, summary) => {
          const quotas = await quotasOf(trx, name, standard);
          await lockFederation(trx, name);
          await requireVersions(trx, { federation: name, owner: member.owner, kind: checked.kind, quotas });
          const bytes = Number(summary.shareBytes ?? 0);
          if (bytes > 0) await requireSharesRoom(trx, { federation: name, owner: member.owner, bytes, quotas });
          return insertVersion(trx, checked, summary, member);
        },
        newest,
      };
      const completed = await completeUpload(db, id, work, { again: again !== undefined });
      const { kind, version, sha256 } = completed;
      return { kind, version, newest: await newest(db, completed), sha256 };
    },
  );
}

/** Refused before a byte has come: embeddings where only shares may be, and shares where nobody holds them. */
async function requireSharing(db: Db, federation: string, owner: string, isShared: boolean): Promise<void> {
  const charter = await findCharter(db, federation);
  if ((charter !== undefined) === isShared) return;
  if (!charter) {
    const rule = 'must have a charter of entities for shared bundles';
    throw new F3Error('F3_SHARES_CHARTER', `federation ${federation}: ${rule}, got none`);
  }
  const rule = `must be sent in shares, since federation ${federation} computes on shares`;
  throw new F3Error('F3_SHARES_ONLY', `bundle ${owner}: ${rule}, got embeddings`, { remedy: 'share' });
}

/** Waits for a check as long as a request should, and says whether it has ended. Throws if the content was refused. */
async function isChecked({ verdict }: UploadRow, check: () => Promise<UploadVerdict>): Promise<boolean> {
  if (verdict) return true;
  const waiting = new AbortController();
  const patience = sleep(PATIENCE_MS, false, { signal: waiting.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([check().then((found) => summaryOf(found) !== undefined), patience]);
  } finally {
    waiting.abort();
  }
}

/** Uploads of other members are treated as if they did not exist. */
async function ownUpload(db: Db, id: string, member: MemberRow): Promise<UploadRow> {
  const upload = await requireUpload(db, id);
  if (upload.member === member.id) return upload;
  throw new F3Error('F3_UPLOAD_UNKNOWN', `upload ${id}: must exist, got an unknown one`);
}

/**
 * Compares a bundle with what its owner sent before and with the other owners' bundles. Refusing it now is better than a
 * training that fails later, when all owners are offline.
 */
async function checkAgreement(
  db: Db,
  federation: string,
  owner: string,
  { width, sampleType }: JsonObject,
  { isNewWidth }: { isNewWidth: boolean },
): Promise<void> {
  const latest = await latestBundles(db, federation);
  const before = latest.find((entry) => entry.owner === owner)?.summary.width;
  if (before !== undefined && before !== width && !isNewWidth) {
    const rule = `embedding width must be ${before} as in its last version unless the upload says width=new`;
    throw new F3Error('F3_BUNDLE_WIDTH', `bundle ${owner}: ${rule}, got ${width}`, { remedy: 'newWidth' });
  }
  const other = latest.find(({ owner: name, summary }) => name !== owner && summary.sampleType !== sampleType);
  if (!other) return;
  const rule = `sample ids must be ${other.summary.sampleType} as in the federation's other bundles`;
  throw new F3Error('F3_BUNDLE_ID_TYPE', `bundle ${owner}: ${rule}, got ${sampleType}`);
}

/** The version that counts: the owner's last bundle, or the federation's last labels. */
async function newestVersion(db: Db, federation: string, kind: UploadRow['kind'], owner: string): Promise<number> {
  if (kind === 'labels') return (await latestLabelSet(db, federation))?.version ?? 0;
  return (await listBundles(db, federation, owner)).at(-1)?.version ?? 0;
}

async function insertVersion(
  trx: Db,
  upload: UploadRow,
  summary: JsonObject,
  { id: member, owner }: MemberRow,
): Promise<number> {
  const { federation, blob, sha256, size, kind } = upload;
  const stored = { federation, member, blob, sha256, size, summary };
  const fixed = summary.sharedVersion as number | undefined;
  if (fixed !== undefined) {
    const next = await nextVersion(trx, federation, owner);
    const rule = `version must be ${next} or higher`;
    if (fixed < next) throw new F3Error('F3_SHARES_VERSION', `shared bundle of ${owner}: ${rule}, got ${fixed}`);
  }
  const { version } =
    kind === 'bundle' ? await addBundle(trx, { ...stored, owner, version: fixed }) : await addLabelSet(trx, stored);
  // Whoever reads the log and knows most of the labels could try out the others against a plain hash, or an exact size.
  const content =
    kind === 'bundle'
      ? { sha256, size }
      : { keyedSha256: keyedHash(sha256, await labelKeyOf(trx, federation)), size: toldLabelBytes(size) };
  const details = { version, ...content };
  await appendAudit(trx, { federation, actor: owner, action: `${kind}.received`, details });
  return version;
}
