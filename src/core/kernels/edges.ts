// Edges of an undirected graph between n owners, and their relaxed Bernoulli samples (Definition 1).
//
// Edge slots: the upper triangle in blocks of 4×4. Row block p holds rows 4p … 4p+3, each from column 4p to n4 (n
// rounded up to 4), rows one after the other. Slots on or below the diagonal or past n hold quantile −1e30, so that
// their sample is exactly 0 and so is their derivative. Nothing else needs to know where the edges end.
import { edgeKeys, gumbelNoise, logisticNoise, normalNoise, uniformNoise } from './edge-noise';
import { madd, nmadd } from './madd';
import { exp, inverseErf, log } from './math';

/** Reference distributions of the ICDF relaxation, and the Gumbel relaxation beside them. */
export const NORMAL: i32 = 0;
export const LOGISTIC: i32 = 1;
export const UNIFORM: i32 = 2;
export const GUMBEL: i32 = 3;

const NO_EDGE: f32 = -1e30;
const SQRT_2: f32 = 1.4142135623730951;
const SQRT_2PI: f32 = 2.5066282746310002;

export function edgeSlots(n: i32): i32 {
  const blocks = (n + 3) >> 2;
  return 8 * blocks * (blocks + 1);
}

/** Bytes from the first slot to row block p. */
// @ts-ignore: decorator
@inline
export function rowBlockAt(p: i32, blocks: i32): usize {
  return <usize>(8 * p * (2 * blocks - p + 1)) << 2;
}

/** quantile = F⁻¹(θ) and slope = dF⁻¹/dθ per slot, θ [n, n] clamped to [low, high] (slope 0 where the clamp acts). */
export function edgeQuantiles(
  p: i32, n: i32, kind: i32, low: f32, high: f32, theta: usize, quantile: usize, slope: usize,
): void {
  const blocks = (n + 3) >> 2;
  const width = (blocks - p) << 2;
  let at = rowBlockAt(p, blocks);
  const one = f32x4.splat(1);
  for (let i = p << 2; i < (p << 2) + 4; i++) {
    for (let x = 0; x < width; x += 4) {
      const j = (p << 2) + x;
      const raw = v128.load(theta + (<usize>(min(i, n - 1) * n + j) << 2));
      const column = i32x4.add(i32x4.splat(j), i32x4(0, 1, 2, 3));
      let edge = v128.and(i32x4.gt_s(column, i32x4.splat(i)), i32x4.lt_s(column, i32x4.splat(n)));
      if (i >= n) edge = i32x4.splat(0);
      const t = f32x4.pmax(f32x4.pmin(raw, f32x4.splat(high)), f32x4.splat(low));
      let q = t;
      let s = one;
      if (kind == NORMAL) {
        const e = inverseErf(f32x4.sub(f32x4.add(t, t), one));
        q = f32x4.mul(e, f32x4.splat(SQRT_2));
        s = f32x4.mul(exp(f32x4.mul(e, e)), f32x4.splat(SQRT_2PI));
      } else if (kind != UNIFORM) {
        const rest = f32x4.sub(one, t);
        q = f32x4.sub(log(t), log(rest));
        s = f32x4.div(one, f32x4.mul(t, rest));
      }
      const free = v128.and(edge, v128.and(f32x4.ge(raw, f32x4.splat(low)), f32x4.le(raw, f32x4.splat(high))));
      v128.store(quantile + at, v128.bitselect(q, f32x4.splat(NO_EDGE), edge));
      v128.store(slope + at, v128.and(s, free));
      at += 16;
    }
  }
}

/** dθ += (dL/dquantile) · slope · scale for the edges of row block p. */
export function edgeQuantilesBackward(
  p: i32, n: i32, scale: f32, dQuantile: usize, slope: usize, dTheta: usize,
): void {
  const blocks = (n + 3) >> 2;
  const width = (blocks - p) << 2;
  const first = rowBlockAt(p, blocks);
  for (let i = p << 2; i < min((p << 2) + 4, n); i++) {
    const row = first + (<usize>((i & 3) * width) << 2);
    for (let j = i + 1; j < n; j++) {
      const slot = row + (<usize>(j - (p << 2)) << 2);
      const to = dTheta + (<usize>(i * n + j) << 2);
      store<f32>(to, load<f32>(to) + load<f32>(dQuantile + slot) * load<f32>(slope + slot) * scale);
    }
  }
}

const RELAX = memory.data<f32>([
  88.8, -88.0, 1.44269504088896341, 12582912.0, 0.693359375, -2.12194440e-4,
  1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1.0,
]);

// @ts-ignore: decorator
@inline
function constant(index: i32): v128 {
  return v128.load32_splat(RELAX + (<usize>index << 2));
}

/**
 * z = σ((quantile − noise) · sharpness), where `z` holds the noise at first. The code is `exp` of math.ts written out
 * for two vectors, which share its constants.
 */
function relax(count: i32, quantile: usize, z: usize, sharpness: f32): void {
  const sharp = f32x4.splat(sharpness);
  for (let i = 0; i < count; i += 8) {
    let x = f32x4.mul(f32x4.sub(v128.load(z), v128.load(quantile)), sharp);
    let y = f32x4.mul(f32x4.sub(v128.load(z, 16), v128.load(quantile, 16)), sharp);
    let c = constant(0);
    x = f32x4.pmin(x, c);
    y = f32x4.pmin(y, c);
    c = constant(1);
    x = f32x4.pmax(x, c);
    y = f32x4.pmax(y, c);
    c = constant(2);
    const magic = constant(3);
    const xShifted = madd(x, c, magic);
    const yShifted = madd(y, c, magic);
    const xPower = f32x4.sub(xShifted, magic);
    const yPower = f32x4.sub(yShifted, magic);
    c = constant(4);
    x = nmadd(xPower, c, x);
    y = nmadd(yPower, c, y);
    c = constant(5);
    x = nmadd(xPower, c, x);
    y = nmadd(yPower, c, y);
    c = constant(6);
    const d = constant(7);
    let p = madd(c, x, d);
    let q = madd(c, y, d);
    c = constant(8);
    p = madd(p, x, c);
    q = madd(q, y, c);
    c = constant(9);
    p = madd(p, x, c);
    q = madd(q, y, c);
    c = constant(10);
    p = madd(p, x, c);
    q = madd(q, y, c);
    c = constant(11);
    p = madd(p, x, c);
    q = madd(q, y, c);
    const one = constant(12);
    p = f32x4.add(madd(p, f32x4.mul(x, x), x), one);
    q = f32x4.add(madd(q, f32x4.mul(y, y), y), one);
    p = f32x4.mul(p, i32x4.add(i32x4.shl(xShifted, 23), one));
    q = f32x4.mul(q, i32x4.add(i32x4.shl(yShifted, 23), one));
    v128.store(z, f32x4.div(one, f32x4.add(one, p)));
    v128.store(z, f32x4.div(one, f32x4.add(one, q)), 16);
    quantile += 32;
    z += 32;
  }
}

/**
 * Slots per pass. Noise and then z are made over a stretch that stays in the first-level cache; one long loop is 2.5×
 * slower.
 */
const STRETCH: i32 = 512;

/** z = σ((quantile − s) / τ) for every slot of one example, s drawn from the reference. `sharpness` is 1/τ. */
export function sampleEdges(
  example: i32, n: i32, kind: i32, sharpness: f32, step: i32, stream: i32, seed0: i32, seed1: i32,
  quantile: usize, z: usize,
): void {
  const slots = edgeSlots(n);
  const keys = edgeKeys(example, step, stream, seed0, seed1);
  const keys2 = kind == GUMBEL ? edgeKeys(example, step, stream + 1, seed0, seed1) : 0;
  for (let slot = 0; slot < slots; slot += STRETCH) {
    const count = min(STRETCH, slots - slot);
    if (kind == NORMAL) normalNoise(count, slot, keys, z);
    else if (kind == LOGISTIC) logisticNoise(count, slot, keys, z);
    else if (kind == UNIFORM) uniformNoise(count, slot, keys, z);
    else gumbelNoise(count, slot, keys, keys2, z);
    relax(count, quantile, z, sharpness);
    quantile += <usize>STRETCH << 2;
    z += <usize>STRETCH << 2;
  }
}

/** Slots → symmetric matrix [n, n] with a zero diagonal. */
export function edgesToMatrix(n: i32, z: usize, matrix: usize): void {
  const blocks = (n + 3) >> 2;
  for (let i = 0; i < n; i++) {
    const p = i >> 2;
    const row = z + rowBlockAt(p, blocks) + (<usize>((i & 3) * ((blocks - p) << 2)) << 2);
    store<f32>(matrix + (<usize>(i * n + i) << 2), 0);
    for (let j = i + 1; j < n; j++) {
      const value = load<f32>(row + (<usize>(j - (p << 2)) << 2));
      store<f32>(matrix + (<usize>(i * n + j) << 2), value);
      store<f32>(matrix + (<usize>(j * n + i) << 2), value);
    }
  }
}

/** dL/dquantile · τ per slot from dL/dmatrix: both mirror images count, times z(1 − z). */
export function edgesToMatrixBackward(n: i32, z: usize, dMatrix: usize, dQuantile: usize): void {
  const blocks = (n + 3) >> 2;
  for (let i = 0; i < n; i++) {
    const p = i >> 2;
    const row = rowBlockAt(p, blocks) + (<usize>((i & 3) * ((blocks - p) << 2)) << 2);
    for (let j = i + 1; j < n; j++) {
      const slot = row + (<usize>(j - (p << 2)) << 2);
      const value = load<f32>(z + slot);
      const both = load<f32>(dMatrix + (<usize>(i * n + j) << 2)) + load<f32>(dMatrix + (<usize>(j * n + i) << 2));
      store<f32>(dQuantile + slot, both * value * (<f32>1 - value));
    }
  }
}
