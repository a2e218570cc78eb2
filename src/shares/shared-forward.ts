// [entity] The forward pass on shares: owners into the hidden layer, over the graph, ¼z² + ½z, their mean, logits for the coordinator alone.
import type { EmbeddingShares } from './embedding-shares.ts';
import { type Field, NUMBER_BYTES, type Numbers } from './field.ts';
import { FRACTION_BITS } from './fixed-point.ts';
import type { Party } from './party.ts';
import type { PublicBatch, PublicFactors } from './public-graph.ts';
import { type BitPlan, GRAPH_BITS, MAGNITUDES } from './shared-shape.ts';
import type { SharedWeights } from './shared-weights.ts';

const F = FRACTION_BITS;

/** What the backward pass needs of the forward pass; arrays of owners are [owner, sample, hidden]. */
export interface SharedForward {
  /** [owner, sample, d] */
  embeddings: Numbers;
  /** Before the graph. */
  owners: Numbers;
  /** z: after the graph, with its bias. */
  hidden: Numbers;
  /** [sample, hidden] */
  pooled: Numbers;
}

/** The shares of a batch, zero where an owner is absent or narrower: [owner, sample, d] */
export function gatherEmbeddings(
  field: Field,
  source: EmbeddingShares,
  { rows, present }: Pick<PublicBatch, 'rows' | 'present'>,
  width: number,
): Numbers {
  const n = source.widths.length;
  const gathered = field.temporary(n * rows.length * width);
  const to = field.bytes(gathered).fill(0);
  const row = width * NUMBER_BYTES;
  for (let i = 0; i < n; i++) {
    const shares = source.of(i);
    const from = Buffer.from(shares.buffer, shares.byteOffset, shares.byteLength);
    const own = source.widths[i] * NUMBER_BYTES;
    for (let b = 0; b < rows.length; b++) {
      if (present && present[b * n + i] === 0) continue;
      from.copy(to, (i * rows.length + b) * row, rows[b] * own, (rows[b] + 1) * own);
    }
  }
  return gathered;
}

/** W0ᵀP_i [owner, h, d]; none without alignment */
export async function openProjections(party: Party, weights: SharedWeights): Promise<Numbers | undefined> {
  const { field } = party;
  const { owners: n, width: d, hidden: h, projection } = weights.shape;
  if (projection !== 'aligned') return undefined;
  const local = field.temporary(n * h * d);
  field.product({
    ...{ m: h, n: d, k: d, stacks: n },
    a: { at: weights.at('W0'), row: 1, step: h },
    b: { at: weights.at('P'), row: d, stack: d * d },
    c: { at: local, row: d, stack: h * d },
  });
  const bits = 2 * F + MAGNITUDES.projection;
  const [opened] = await party.truncate([{ what: 'projections', numbers: local, shift: F, bits }]);
  return opened;
}

/** (P_i h_i)ᵀW0, or what stands for it: [owner, sample, hidden]. `projections`: W0ᵀP_i, with alignment */
export async function projectOwners(
  party: Party,
  weights: SharedWeights,
  embeddings: Numbers,
  batch: number,
  projections: Numbers | undefined,
): Promise<Numbers> {
  const { field } = party;
  const { owners: n, width: d, hidden: h, projection } = weights.shape;
  let [matrices, row, step, stack] = [
    weights.at(projection === 'own' ? 'T' : 'W0'),
    h,
    1,
    projection === 'own' ? d * h : 0,
  ];
  if (projections) [matrices, row, step, stack] = [projections, 1, d, h * d];
  const local = field.temporary(n * batch * h);
  field.product({
    ...{ m: batch, n: h, k: d, stacks: n },
    a: { at: embeddings, row: d, stack: batch * d },
    b: { at: matrices, row, step, stack },
    c: { at: local, row: h, stack: batch * h },
  });
  const bits = 2 * F + MAGNITUDES.hidden;
  const [owners] = await party.truncate([{ what: 'owners in the hidden layer', numbers: local, shift: F, bits }]);
  return owners;
}

export async function forwardOnShares(
  party: Party,
  weights: SharedWeights,
  source: EmbeddingShares,
  batch: PublicBatch,
  factors: PublicFactors,
  plan: BitPlan,
): Promise<SharedForward> {
  const { field } = party;
  const { owners: n, width, hidden: h } = weights.shape;
  const size = batch.rows.length;
  const embeddings = gatherEmbeddings(field, source, batch, width);
  const projections = await openProjections(party, weights);
  const owners = await projectOwners(party, weights, embeddings, size, projections);
  const convolved = factors.graph ? await convolve(party, factors.graph, owners, n, size * h) : owners;
  const hidden = field.temporary(n * size * h);
  field.engine.run('sharedAddBias', n, size, h, convolved.address, weights.at('b0').address, hidden.address);
  const local = field.temporary(size * h);
  const public_ = [field.integers(factors.weights), factors.step] as const;
  const two = field.constant(2n ** BigInt(F + 1)).address;
  const scratch = field.temporary(size).address;
  field.engine.run('sharedPool', size, n, size, h, ...public_, hidden.address, two, local.address, scratch);
  const bits = 2 * F + plan.weight + 2 + MAGNITUDES.pooled;
  const [pooled] = await party.truncate([{ what: 'pooled means', numbers: local, shift: F + plan.weight + 2, bits }]);
  return { embeddings, owners, hidden, pooled };
}

/** ÂX of [owner, columns] */
async function convolve(
  party: Party,
  graph: Int32Array,
  owners: Numbers,
  n: number,
  columns: number,
): Promise<Numbers> {
  const local = party.field.temporary(owners.count);
  party.field.product({
    m: n,
    n: columns,
    k: n,
    a: graph,
    b: { at: owners, row: columns },
    c: { at: local, row: columns },
  });
  const bits = GRAPH_BITS + F + MAGNITUDES.hidden;
  const [convolved] = await party.truncate([{ what: 'convolutions', numbers: local, shift: GRAPH_BITS, bits }]);
  return convolved;
}

/** Bits after the point of logits as they are opened, and how many of them are random. */
export const LOGIT_BITS = { opened: 2 * F, dither: F } as const;

/** pooled·W1 + share·b1, opened to the coordinator: [sample, class] */
export function revealLogits(party: Party, weights: SharedWeights, pooled: Numbers, shares: Int32Array): void {
  const { field } = party;
  const { hidden: h, classes } = weights.shape;
  const size = shares.length;
  const logits = field.temporary(size * classes);
  const c = { at: logits, row: classes };
  field.product({ m: size, n: classes, k: h, a: { at: pooled, row: h }, b: { at: weights.at('W1'), row: classes }, c });
  field.product({
    m: size,
    n: classes,
    k: 1,
    a: shares,
    b: { at: weights.at('b1'), row: classes },
    c,
    accumulate: true,
  });
  party.reveal('logits', logits, LOGIT_BITS.dither);
}
