// [entity] The backward pass on shares: from the coordinator's shared gradient of the logits to the next weights, and to the edges' gradients,
// which the coordinator alone learns. All gradients carry the factor η·2^loss that the coordinator put into them.
import type { Field, Numbers } from './field.ts';
import { FRACTION_BITS } from './fixed-point.ts';
import type { Party, Truncation } from './party.ts';
import { edgeFactors, type PublicBatch, type PublicFactors } from './public-graph.ts';
import type { SharedForward } from './shared-forward.ts';
import { type BitPlan, EDGE_BITS, GRAPH_BITS, MAGNITUDES } from './shared-shape.ts';
import type { SharedWeights } from './shared-weights.ts';

const F = FRACTION_BITS;

/** Bits after the point of the edges' gradients as they are opened, and how many of them are random. */
export const EDGE_GRADIENT_BITS = { opened: 2 * F + 2 * EDGE_BITS, dither: F + 2 * EDGE_BITS - 10 } as const;

/** All of a step after the logits. */
export interface SharedBackward {
  party: Party;
  weights: SharedWeights;
  forward: SharedForward;
  batch: PublicBatch;
  factors: PublicFactors & { pooling: Float64Array };
  plan: BitPlan;
  /** μ of stochastic gradient descent. */
  momentum: number;
}

export async function backwardOnShares(pass: SharedBackward, logitGradients: Numbers): Promise<void> {
  const { party, weights, forward, factors, plan } = pass;
  const { field } = party;
  const { owners: n, hidden: h, classes, projection, learnsGraph } = weights.shape;
  const size = pass.batch.rows.length;
  const pooled = field.temporary(size * h);
  const ofLogits = { at: logitGradients, row: classes };
  field.product({
    m: size,
    n: h,
    k: classes,
    a: ofLogits,
    b: { at: weights.at('W1'), row: 1, step: classes },
    c: { at: pooled, row: h },
  });
  const readOut = [
    weightGradient(field, forward.pooled, h, logitGradients, classes, size),
    biasGradient(field, factors.shares, logitGradients, classes),
  ];
  const bits = 2 * F + MAGNITUDES.hidden;
  const [dPooled, nextW1, nextB1] = await party.truncate([
    { what: 'pooled gradients', numbers: pooled, shift: F, bits },
    velocity(pass, 'W1', readOut[0], F),
    velocity(pass, 'b1', readOut[1], F),
  ]);

  const local = field.temporary(n * size * h);
  const one = field.constant(2n ** BigInt(F)).address;
  const known = [field.integers(factors.weights), factors.step, forward.hidden.address, one] as const;
  field.engine.run('sharedHiddenGradient', n, n, size, h, ...known, dPooled.address, local.address);
  const gradientBits = 2 * F + plan.weight + 1 + MAGNITUDES.gradient;
  const [dHidden] = await party.truncate([
    { what: 'hidden gradients', numbers: local, shift: F + plan.weight + 1, bits: gradientBits },
  ]);
  if (learnsGraph) revealEdgeGradients(pass, dPooled, dHidden);
  const dOwners = factors.transposed ? convolveBack(field, factors.transposed, dHidden, n, size * h) : dHidden;
  const graphBits = factors.transposed ? GRAPH_BITS : 0;
  const b0 = field.temporary(h);
  field.engine.kernels.fieldSumRows(n * size, h, dHidden.address, b0.address);
  const nextB0 = velocity(pass, 'b0', b0, 0);
  const next = { W1: nextW1, b1: nextB1 };
  const own = projection === 'aligned' ? undefined : ownGradient(pass, dOwners);
  if (own) {
    const name = projection === 'own' ? 'T' : 'W0';
    const [b0Next, ownNext] = await party.truncate([nextB0, velocity(pass, name, own, F + graphBits)]);
    applyUpdates(weights, { ...next, b0: b0Next, [name]: ownNext });
    return;
  }
  const projectionGradient = alignedGradient(pass, dOwners);
  const projectionBits = 2 * F + graphBits + MAGNITUDES.gradient;
  const [b0Next, dMatrices] = await party.truncate([
    nextB0,
    { what: 'projection gradients', numbers: projectionGradient, shift: F + graphBits, bits: projectionBits },
  ]);
  const { P, W0 } = factorGradients(pass, dMatrices);
  const [nextP, nextW0] = await party.truncate([velocity(pass, 'P', P, F), velocity(pass, 'W0', W0, F)]);
  applyUpdates(weights, { ...next, b0: b0Next, P: nextP, W0: nextW0 });
}

function applyUpdates(weights: SharedWeights, next: Readonly<Record<string, Numbers>>): void {
  for (const [name, numbers] of Object.entries(next)) weights.update(name, numbers);
  weights.steps++;
}

/**
 * velocity = μ·velocity + η·gradient in one truncation. The gradient has `extra` bits after the point beyond those of a weight, and the factor η·2^loss;
 * the velocity is brought to the same.
 */
function velocity(
  { weights, plan, momentum, party }: SharedBackward,
  name: string,
  gradient: Numbers,
  extra: number,
): Truncation {
  const shift = extra + plan.loss;
  const factor = BigInt(Math.round(momentum * 2 ** FACTOR_BITS)) << BigInt(Math.max(0, shift - FACTOR_BITS));
  const missing = Math.max(0, FACTOR_BITS - shift);
  if (missing > 0) party.field.scale(1n << BigInt(missing), gradient, gradient);
  party.field.scale(factor, weights.velocity(name), gradient, { accumulate: true });
  const bits = F + shift + missing + MAGNITUDES.velocity;
  return { what: 'velocities', numbers: gradient, shift: shift + missing, bits };
}

/** Bits after the point of the momentum. */
const FACTOR_BITS = 24;

/** Σ_b x_b y_bᵀ: [sample, width], [sample, columns] → [width, columns] */
function weightGradient(field: Field, x: Numbers, width: number, y: Numbers, columns: number, size: number): Numbers {
  const out = field.temporary(width * columns);
  const a = { at: x, row: 1, step: width };
  field.product({ m: width, n: columns, k: size, a, b: { at: y, row: columns }, c: { at: out, row: columns } });
  return out;
}

/** Σ_b share_b·y_b: [sample, columns] → [columns] */
function biasGradient(field: Field, shares: Int32Array, y: Numbers, columns: number): Numbers {
  const out = field.temporary(columns);
  field.product({
    m: 1,
    n: columns,
    k: shares.length,
    a: shares,
    b: { at: y, row: columns },
    c: { at: out, row: columns },
  });
  return out;
}

function convolveBack(field: Field, transposed: Int32Array, gradient: Numbers, n: number, columns: number): Numbers {
  const out = field.temporary(gradient.count);
  field.product({
    m: n,
    n: columns,
    k: n,
    a: transposed,
    b: { at: gradient, row: columns },
    c: { at: out, row: columns },
  });
  return out;
}

/** Gradient of a matrix per owner T [owner, d, h], or of the one W0 [d, h] that all have in common. */
function ownGradient({ party, weights, forward, batch }: SharedBackward, dOwners: Numbers): Numbers {
  const { owners: n, width: d, hidden: h, projection } = weights.shape;
  const size = batch.rows.length;
  if (projection === 'common') return weightGradient(party.field, forward.embeddings, d, dOwners, h, n * size);
  const out = party.field.temporary(n * d * h);
  party.field.product({
    ...{ m: d, n: h, k: size, stacks: n },
    a: { at: forward.embeddings, row: 1, step: d, stack: size * d },
    b: { at: dOwners, row: h, stack: size * h },
    c: { at: out, row: h, stack: d * h },
  });
  return out;
}

/** Gradient of W0ᵀP_i: [owner, h, d] */
function alignedGradient({ party, weights, forward, batch }: SharedBackward, dOwners: Numbers): Numbers {
  const { owners: n, width: d, hidden: h } = weights.shape;
  const size = batch.rows.length;
  const out = party.field.temporary(n * h * d);
  party.field.product({
    ...{ m: h, n: d, k: size, stacks: n },
    a: { at: dOwners, row: 1, step: h, stack: size * h },
    b: { at: forward.embeddings, row: d, stack: size * d },
    c: { at: out, row: d, stack: h * d },
  });
  return out;
}

/** dP_i = W0·dM_i and dW0 = Σ_i P_i·dM_iᵀ, dM [owner, h, d] */
function factorGradients(
  { party: { field }, weights }: SharedBackward,
  dMatrices: Numbers,
): { P: Numbers; W0: Numbers } {
  const { owners: n, width: d, hidden: h } = weights.shape;
  const P = field.temporary(n * d * d);
  field.product({
    ...{ m: d, n: d, k: h, stacks: n },
    a: { at: weights.at('W0'), row: h },
    b: { at: dMatrices, row: d, stack: h * d },
    c: { at: P, row: d, stack: d * d },
  });
  const parts = field.temporary(n * d * h);
  field.product({
    ...{ m: d, n: h, k: d, stacks: n },
    a: { at: weights.at('P'), row: d, stack: d * d },
    b: { at: dMatrices, row: 1, step: d, stack: h * d },
    c: { at: parts, row: h, stack: d * h },
  });
  const W0 = field.temporary(d * h);
  field.engine.kernels.fieldSumRows(n, d * h, parts.address, W0.address);
  return { P, W0 };
}

/**
 * The gradient of each edge, i < j in order. The graph's gradient is Σ dz_i x_jᵀ + Σ_b m_bi e_bj, e the gradient of the pooling weights. An activation's value is
 * ¼z² + ½z = ½z·(½z + ½) + ¼z, so e needs no more than z, dz and the pooled gradient, of degree t each.
 */
function revealEdgeGradients(
  { party, weights, forward, batch, factors }: SharedBackward,
  dPooled: Numbers,
  dHidden: Numbers,
): void {
  const { field } = party;
  const { owners: n, hidden: h } = weights.shape;
  const size = batch.rows.length;
  const columns = size * h;
  const { p, q, u, v } = edgeFactors(batch, n, factors.pooling);
  const sums = field.temporary(n * n);
  const side = (at: Numbers) => ({ a: { at, row: columns }, b: { at, row: 1, step: columns } });
  const [x, dz] = [side(forward.owners), side(dHidden)];
  const c = { at: sums, row: n };
  field.product({ m: n, n, k: columns, a: dz.a, b: x.b, c, upper: true });
  field.product({ m: n, n, k: columns, a: x.a, b: dz.b, c, upper: true, accumulate: true });
  const pooling = field.temporary(size * n);
  const public_ = [field.integers(u), field.integers(v), factors.step] as const;
  const inputs = [forward.hidden.address, dHidden.address, dPooled.address, pooling.address] as const;
  field.engine.run('sharedPoolingGradient', n, n, size, h, ...public_, ...inputs, field.temporary(2 * n).address);
  const rows = batch.present ? n : 1;
  const masks = new Int32Array(rows * size).fill(1);
  if (batch.present)
    for (let at = 0; at < masks.length; at++) masks[at] = batch.present[(at % size) * n + Math.floor(at / size)];
  const spread = field.temporary(rows * n);
  field.product({ m: rows, n, k: size, a: masks, b: { at: pooling, row: n }, c: { at: spread, row: n } });
  const out = field.temporary((n * (n - 1)) / 2);
  const scratch = field.temporary(n + 1);
  const addresses = [field.integers(p), field.integers(q), field.constant(2n ** BigInt(EDGE_BITS)).address] as const;
  const last = [scratch.address, out.address, field.part(scratch, n, 1).address] as const;
  field.engine.kernels.sharedEdgeGradient(
    n,
    ...addresses,
    sums.address,
    spread.address,
    batch.present ? n : 0,
    ...last,
  );
  party.reveal('edge gradients', out, EDGE_GRADIENT_BITS.dither);
}
