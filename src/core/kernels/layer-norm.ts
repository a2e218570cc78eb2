// Layer normalisation: rows to mean 0 and variance 1, then gain and shift. With x̂ = (x − mean)·r and g = dy∘gain:
//   dx = r (g − mean(g) − x̂ mean(g∘x̂)),  dgain = Σ_rows dy∘x̂,  dshift = Σ_rows dy.
import { madd, nmadd } from './madd';
import { sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

/** y = x̂∘gain + shift for the rows of task `task`; `moments` [rows, 2] keeps mean and r = (variance + epsilon)^−½. */
export function layerNormForward(
  task: i32, perTask: i32, rows: i32, width: i32, epsilon: f32, x: usize, gain: usize, shift: usize,
  y: usize, moments: usize,
): void {
  const share: f32 = <f32>1 / <f32>width;
  const end = min(rows, (task + 1) * perTask);
  for (let row = task * perTask; row < end; row++) {
    const from = x + (<usize>(row * width) << 2);
    const to = y + (<usize>(row * width) << 2);
    let sums = f32x4.splat(0);
    for (let k = 0; k < width; k += 4) {
      sums = f32x4.add(sums, keepUpTo(v128.load(from + (<usize>k << 2)), width - k));
    }
    const mean = sumLanes(sums) * share;
    const m = f32x4.splat(mean);
    let squares = f32x4.splat(0);
    for (let k = 0; k < width; k += 4) {
      const off = keepUpTo(f32x4.sub(v128.load(from + (<usize>k << 2)), m), width - k);
      squares = madd(off, off, squares);
    }
    const inverse: f32 = <f32>1 / sqrt<f32>(sumLanes(squares) * share + epsilon);
    const r = f32x4.splat(inverse);
    for (let k = 0; k < width; k += 4) {
      const o = <usize>k << 2;
      const normal = f32x4.mul(f32x4.sub(v128.load(from + o), m), r);
      storeUpTo(to + o, madd(normal, v128.load(gain + o), v128.load(shift + o)), width - k);
    }
    store<f32>(moments + (<usize>row << 3), mean);
    store<f32>(moments + (<usize>row << 3), inverse, 4);
  }
}

/** Adds to dx, and writes part `task` of dgain and of dshift (`width` floats each). An address of 0 skips one. */
export function layerNormBackward(
  task: i32, perTask: i32, rows: i32, width: i32, x: usize, gain: usize, moments: usize, dy: usize,
  dx: usize, gainParts: usize, shiftParts: usize,
): void {
  const share: f32 = <f32>1 / <f32>width;
  const part = <usize>(task * width) << 2;
  if (gainParts) memory.fill(gainParts + part, 0, <usize>width << 2);
  if (shiftParts) memory.fill(shiftParts + part, 0, <usize>width << 2);
  const end = min(rows, (task + 1) * perTask);
  for (let row = task * perTask; row < end; row++) {
    const at = <usize>(row * width) << 2;
    const m = v128.load32_splat(moments + (<usize>row << 3));
    const r = v128.load32_splat(moments + (<usize>row << 3), 4);
    let sums = f32x4.splat(0);
    let products = sums;
    for (let k = 0; k < width; k += 4) {
      const o = <usize>k << 2;
      const normal = f32x4.mul(f32x4.sub(v128.load(x + at + o), m), r);
      const d = v128.load(dy + at + o);
      const g = f32x4.mul(d, v128.load(gain + o));
      sums = f32x4.add(sums, keepUpTo(g, width - k));
      products = f32x4.add(products, keepUpTo(f32x4.mul(g, normal), width - k));
      if (gainParts) {
        const to = gainParts + part + o;
        storeUpTo(to, madd(d, normal, v128.load(to)), width - k);
      }
      if (shiftParts) {
        const to = shiftParts + part + o;
        storeUpTo(to, f32x4.add(d, v128.load(to)), width - k);
      }
    }
    if (!dx) continue;
    const a = f32x4.splat(sumLanes(sums) * share);
    const b = f32x4.splat(sumLanes(products) * share);
    for (let k = 0; k < width; k += 4) {
      const o = <usize>k << 2;
      const normal = f32x4.mul(f32x4.sub(v128.load(x + at + o), m), r);
      const g = f32x4.mul(v128.load(dy + at + o), v128.load(gain + o));
      const slope = nmadd(normal, b, f32x4.sub(g, a));
      storeUpTo(dx + at + o, madd(slope, r, v128.load(dx + at + o)), width - k);
    }
  }
}
