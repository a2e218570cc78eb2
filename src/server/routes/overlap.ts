// [coordinator] Shows which samples the owners of a federation have in common, as counts.
import { F3Error } from '../../errors.ts';
import { type Overlap, overlapSchema } from '../../exchange/messages/overlap.ts';
import { readBlob } from '../../storage/blobs.ts';
import { latestBundles } from '../../storage/bundles.ts';
import { requireFederation } from '../../storage/federations.ts';
import { holdersToldExactly, labelKeyOf } from '../../storage/label-rules.ts';
import { latestLabelSet } from '../../storage/label-sets.ts';
import type { BundleRow, LabelSetRow } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import { OverlapThread } from '../evaluation/overlap-thread.ts';
import { tellOverlap } from '../evaluation/tell-overlap.ts';
import { FairQueue } from '../fair-queue.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const READERS = ['operator', 'labels'] as const;
/** Answers are kept for so many federations, until somebody sends something. */
const MOST_KEPT = 50;
/** Samples are counted one federation after the other: all bundles of a federation are read for it. */
const WAITING = { mostWaiting: 16 };
/** Ids of so many samples are held while they are counted, and one bundle of so many bytes. */
const MOST_COUNTED = 5_000_000;
const MOST_BUNDLE_BYTES = 256 * 2 ** 20;
const busy = () => new F3Error('F3_BUSY', 'overlaps: few may wait to be counted, got too many; try again');

export function addOverlap(app: TypedApp, { store: { db } }: ServerContext): void {
  const queue = new FairQueue({ ...WAITING, refusal: busy });
  const kept = new Map<string, { of: string; answer: Promise<Overlap> }>();

  app.get(
    '/v1/federations/:federation/overlap',
    { schema: { params: federationParams, response: { 200: overlapSchema } }, config: { allow: READERS } },
    async ({ params: { federation }, member }) => {
      await requireFederation(db, federation);
      const bundles = await latestBundles(db, federation);
      const labels = await latestLabelSet(db, federation);
      const of = [...bundles, ...(labels ? [labels] : [])].map(({ sha256 }) => sha256).join();
      requireCountable(federation, bundles);
      const overlap = await counted(federation, of, () => count(bundles, labels));
      if (!labels || (await holdersToldExactly(db, member.id)).has(labels.member)) return overlap;
      const hashes = bundles.map(({ sha256 }) => sha256);
      const key = await labelKeyOf(db, federation);
      return tellOverlap(overlap, { bundles: hashes, labels: labels.sha256, key });
    },
  );

  /** `of` names the content that is counted. */
  function counted(federation: string, of: string, work: () => Promise<Overlap>): Promise<Overlap> {
    const known = kept.get(federation);
    if (known?.of === of) return known.answer;
    const answer = queue.run(federation, work);
    kept.delete(federation);
    kept.set(federation, { of, answer });
    answer.catch(() => kept.delete(federation));
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
    return answer;
  }

  /** In a thread of its own, one bundle at a time. */
  async function count(bundles: readonly BundleRow[], labels: LabelSetRow | undefined): Promise<Overlap> {
    const thread = new OverlapThread();
    try {
      if (labels) await thread.labels(await readBlob(db, labels.blob), `labels version ${labels.version}`);
      for (const { owner, blob } of bundles) await thread.bundle(await readBlob(db, blob), owner);
      return await thread.count();
    } finally {
      await thread.dispose();
    }
  }
}

/** Bundles within their own limits may be more than a coordinator should hold to draw a picture. */
function requireCountable(federation: string, bundles: readonly BundleRow[]): void {
  const samples = bundles.reduce((sum, { summary }) => sum + Number(summary.samples), 0);
  if (samples > MOST_COUNTED) {
    const rule = `must have at most ${MOST_COUNTED} samples of all owners together to be compared`;
    throw new F3Error('F3_EVALUATION', `bundles of ${federation}: ${rule}, got ${samples}`);
  }
  const large = bundles.find(({ size }) => size > MOST_BUNDLE_BYTES);
  if (!large) return;
  const rule = `must have at most ${MOST_BUNDLE_BYTES} bytes to be compared`;
  throw new F3Error('F3_EVALUATION', `bundle of ${large.owner}: ${rule}, got ${large.size}`);
}
