// [entity] Prediction on shares. With ¼z² + ½z the mean over owners is a quadratic form in what they bring into the hidden layer, so the mean over any
// number of graphs costs no more than one: pooled = xᵀQx + gᵀx with public Q and g (docs/shares.md).
import { F3Error } from '../errors.ts';
import type { EmbeddingShares } from './embedding-shares.ts';
import type { Numbers } from './field.ts';
import { FRACTION_BITS, toFixedPoint } from './fixed-point.ts';
import type { Party } from './party.ts';
import { gatherEmbeddings, openProjections, projectOwners, revealLogits } from './shared-forward.ts';
import { MAGNITUDES } from './shared-shape.ts';
import type { SharedWeights } from './shared-weights.ts';

const F = FRACTION_BITS;

/** Samples with the same owners present, and the form that stands for all graphs between them; β, the bias, is one more row. */
export interface PredictionGroup {
  /** How many of the request's samples, after those of the groups before. */
  samples: number;
  /** Q [n + 1, n + 1] with the request's bits after the point. */
  quadratic: Int32Array;
  /** g [n + 1] */
  linear: Float64Array;
  /** Share of owners that are present. */
  share: number;
}

/** Samples that the coordinator asks about. */
export interface SharedQuestion {
  rows: Uint32Array;
  /** [sample, owner]; without it everybody is present */
  present?: Uint8Array | undefined;
  /** Bits after the point of Q. */
  bits: number;
  groups: PredictionGroup[];
  /** Whether W0ᵀP_i is opened and kept, or was kept before; every entity is told the same. By default it is opened and forgotten. */
  projections?: 'keep' | 'kept' | undefined;
}

/** Opens the logits of all samples, in the order of `rows`, to the coordinator alone. */
export async function predictOnShares(
  party: Party,
  weights: SharedWeights,
  source: EmbeddingShares,
  request: SharedQuestion,
): Promise<void> {
  const { field } = party;
  const { owners: n, width, hidden: h } = weights.shape;
  const size = request.rows.length;
  const embeddings = gatherEmbeddings(field, source, request, width);
  const owners = await projectOwners(party, weights, embeddings, size, await projectionsFor(party, weights, request));
  const local = field.temporary(size * h);
  const shares = new Int32Array(size);
  let start = 0;
  for (const { samples, quadratic, linear, share } of request.groups) {
    const rows = withBias(party, weights, owners, start, samples, size);
    const columns = samples * h;
    const product = field.temporary((n + 1) * columns);
    const [m, c] = [n + 1, { at: product, row: columns }];
    field.product({ m, n: columns, k: m, a: quadratic, b: { at: rows, row: columns }, c });
    const g = field.load(toFixedPoint(linear, 'linear part', request.bits + F));
    const out = field.part(local, start * h, columns);
    const addresses = [rows.address, product.address, g.address, out.address] as const;
    field.engine.run('sharedPoolQuadratic', samples, m, samples, h, ...addresses, field.temporary(samples).address);
    shares.fill(Math.round(share * 2 ** F), start, start + samples);
    start += samples;
  }
  const bits = 2 * F + request.bits + MAGNITUDES.pooled;
  const [pooled] = await party.truncate([{ what: 'pooled means', numbers: local, shift: F + request.bits, bits }]);
  revealLogits(party, weights, pooled, shares);
}

async function projectionsFor(
  party: Party,
  weights: SharedWeights,
  { projections }: SharedQuestion,
): Promise<Numbers | undefined> {
  if (projections === 'kept' && weights.shape.projection === 'aligned') {
    party.skipOpening();
    if (weights.projections) return weights.projections;
    throw new F3Error('F3_SHARES_STATE', 'model on shares: its projections must have been kept before, got none');
  }
  const opened = await openProjections(party, weights);
  if (opened && projections === 'keep') weights.keepProjections(opened);
  return opened;
}

/** What the owners bring of some samples, and the bias: [owner + 1, sample, hidden] */
function withBias(
  party: Party,
  weights: SharedWeights,
  owners: Numbers,
  start: number,
  samples: number,
  size: number,
): Numbers {
  const { field } = party;
  const { owners: n, hidden: h } = weights.shape;
  const rows = field.temporary((n + 1) * samples * h);
  const to = field.bytes(rows);
  for (let i = 0; i < n; i++) {
    const part = field.part(owners, (i * size + start) * h, samples * h);
    to.set(field.bytes(part), i * samples * h * 16);
  }
  const bias = field.bytes(weights.at('b0'));
  for (let b = 0; b < samples; b++) to.set(bias, (n * samples + b) * h * 16);
  return rows;
}
