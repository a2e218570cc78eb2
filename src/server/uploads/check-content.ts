// [coordinator] Checks the content of an upload in the thread that `ContentThread` starts: bundles while they stream, labels and
// bundles of an unusual layout whole.
import { createHash } from 'node:crypto';
import { F3Error } from '../../errors.ts';
import { appliedPrivacy } from '../../exchange/bundle/applied-privacy.ts';
import type { BytesFrom } from '../../exchange/bundle/arrow-walk.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { UnusualLayout } from '../../exchange/bundle/bundle-columns.ts';
import { requireRowBytes, requireRows } from '../../exchange/bundle/bundle-limits.ts';
import { requireSound } from '../../exchange/bundle/check-bundle.ts';
import { readArrow } from '../../exchange/bundle/read-arrow.ts';
import { type CheckedBundle, checkBundleStream } from '../../exchange/bundle/stream-bundle.ts';
import { requireClassNames } from '../../exchange/labels/class-names.ts';
import { decodeLabels } from '../../exchange/labels/labels.ts';
import type { UploadKind } from '../../exchange/messages.ts';
import { readAnnouncement } from '../../shares/announcement.ts';
import { shareBytes } from '../../shares/share-manifest.ts';
import type { JsonObject } from '../../storage/schema.ts';
import type { ServerLimits } from '../server-limits.ts';

/** What a check has to know beside the bytes. */
export interface ContentQuestion {
  kind: UploadKind;
  /** Id of the upload. */
  id: string;
  /** Name of the member who sent it. */
  owner: string;
  size: number;
  sha256: string;
  /** The classes of the federation, if they are fixed. */
  classes: string[] | undefined;
  limits: Pick<ServerLimits, 'bundleRows' | 'rowBytes'>;
  /** In a federation on shares: what the announcement of a bundle must be of. */
  shares?: { charter: string; keyId: string; entities: number } | undefined;
}

/** Bundles that cannot be read while they stream are read whole up to this size. */
const MOST_WHOLE = 64 * 2 ** 20;

/** Gives what the coordinator keeps about the content, or throws why it is refused. All bytes are read in either case. */
export async function checkContent(question: ContentQuestion, bytes: BytesFrom): Promise<JsonObject> {
  const hash = createHash('sha256');
  const hashed = hashedOnce(bytes, hash);
  const outcome = await check(question, hashed.bytes).then(
    (summary) => ({ summary }),
    (error: unknown) => ({ error }),
  );
  await hashed.drain();
  const found = hash.digest('hex');
  // Whatever else is wrong with them, these are not the bytes that were announced, and the right ones may be sent.
  if (found !== question.sha256) {
    throw new F3Error('F3_UPLOAD_HASH', `upload ${question.id}: SHA-256 must be ${question.sha256}, got ${found}`);
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.summary;
}

async function check(question: ContentQuestion, bytes: BytesFrom): Promise<JsonObject> {
  if (question.kind === 'labels') return labelSummary(question, await readWhole(bytes, question.size));
  const { card, samples, sampleType, warnings } = await checkBundle(question, bytes);
  const { owner, width, classes, shares } = card;
  if (owner !== question.owner) {
    throw new F3Error('F3_OWNER_MISMATCH', `bundle: owner must be ${question.owner} who sends it, got ${owner}`);
  }
  const privacy = appliedPrivacy(card);
  if (question.shares) return { ...(await announcedSummary(question, question.shares, bytes)), privacy };
  if (shares !== undefined) {
    const rule = 'shares are for federations with a charter of entities';
    throw new F3Error('F3_SHARES_CHARTER', `bundle ${owner}: ${rule}, got one without`);
  }
  return { samples, width, sampleType, votes: classes !== undefined, privacy, warnings };
}

/** The width is that of the embeddings, which the entities have. */
async function announcedSummary(
  { owner, size }: ContentQuestion,
  { charter, keyId, entities }: NonNullable<ContentQuestion['shares']>,
  bytes: BytesFrom,
): Promise<JsonObject> {
  const name = `bundle ${owner}`;
  if (size > MOST_WHOLE) {
    throw new F3Error('F3_UPLOAD_LIMIT', `${name}: an announcement must have at most ${MOST_WHOLE} bytes, got ${size}`);
  }
  const whole = await readWhole(bytes, size);
  const { manifest, root, bundle } = await readAnnouncement(whole, name, { charter, keyId, entities, owner });
  const { version, width, rows: samples, coding } = manifest;
  return {
    samples,
    width,
    sampleType: bundle.sampleType,
    votes: false,
    warnings: [],
    root,
    sharedVersion: version,
    shareBytes: entities * shareBytes(manifest),
    ...(coding && { coding }),
  };
}

async function checkBundle(question: ContentQuestion, bytes: BytesFrom): Promise<CheckedBundle> {
  const { owner, size, limits } = question;
  const name = `bundle ${owner}`;
  const most = { rows: limits.bundleRows, rowBytes: limits.rowBytes };
  try {
    return await checkBundleStream(bytes, size, name, most);
  } catch (error) {
    if (!(error instanceof UnusualLayout)) throw error;
    if (size > MOST_WHOLE) {
      const rule = `above ${MOST_WHOLE} bytes its ids must be plain utf8 or int64 and its parts in their usual order`;
      throw new F3Error('F3_UPLOAD_LIMIT', `${name}: ${rule}, got ${error.message}`);
    }
  }
  const whole = await readWhole(bytes, size);
  readArrow(whole, name, ({ numRows }) => requireRows(name, numRows, most));
  const bundle = decodeBundle(whole, name);
  requireRowBytes(name, bundle.width + (bundle.classes ?? 0), most);
  const { samples, sampleType, embeddings: _embeddings, probabilities: _votes, ...card } = bundle;
  const warnings = requireSound(bundle).map(({ message }) => message);
  return { card, samples: samples.length, sampleType, warnings };
}

function labelSummary({ classes: named, limits }: ContentQuestion, bytes: Uint8Array): JsonObject {
  readArrow(bytes, 'labels', ({ numRows }) => requireRows('labels', numRows, { rows: limits.bundleRows }), 'F3_LABELS');
  const { samples, classes } = decodeLabels(bytes, 'labels', named);
  requireClassNames(classes, 'labels');
  return { samples: samples.length, classes };
}

async function readWhole(bytes: BytesFrom, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  let length = 0;
  for await (const chunk of bytes()) {
    whole.set(chunk, length);
    length += chunk.length;
  }
  return whole;
}

/** Hashes the bytes of the first reading from their beginning. `drain` reads what that has left. */
function hashedOnce(bytes: BytesFrom, hash: { update(bytes: Uint8Array): unknown }) {
  let first: AsyncIterator<Uint8Array> | undefined;
  let isDone = false;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    first ??= bytes()[Symbol.asyncIterator]();
    const step = await first.next();
    if (step.done) isDone = true;
    else hash.update(step.value);
    return step;
  };
  return {
    bytes: (start = 0): AsyncIterable<Uint8Array> => {
      if (start > 0) return bytes(start);
      if (first) {
        if (isDone) return bytes();
        return afterDraining();
      }
      return { [Symbol.asyncIterator]: () => ({ next }) };
    },
    drain,
  };

  async function drain(): Promise<void> {
    while (!isDone) await next();
  }

  async function* afterDraining(): AsyncGenerator<Uint8Array> {
    await drain();
    yield* bytes();
  }
}
