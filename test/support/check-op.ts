// The suite that every differentiable operation passes. On both kernel builds it compares values with the float64 reference and
// gradients with finite differences of that reference; and it expects the same bits for any number of threads.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import type { KernelBuild } from '../../src/core/engine/kernels.ts';
import type { Tape } from '../../src/core/engine/tape.ts';
import { sizeOf, type Tensor } from '../../src/core/engine/tensor.ts';
import { RandomStream } from '../../src/core/random.ts';

export interface OpCase<Name extends string> {
  /** Shape of every input; values are drawn from U(−1, 1) unless given. */
  inputs: Record<Name, { shape: number[]; values?: (random: RandomStream) => ArrayLike<number>; constant?: boolean }>;
  op: (tape: Tape, inputs: Record<Name, Tensor>) => Tensor | Tensor[];
  /** The reference in float64, with its outputs in the same order. */
  reference: (inputs: Record<Name, Float64Array>) => Float64Array | Float64Array[];
  /** The largest difference allowed, as a share of the largest magnitude in the tensor. Default: 2e-5 and 2e-4. */
  tolerance?: { value?: number; gradient?: number };
  /** The step of finite differences. Default: 1e-5. */
  epsilon?: number;
}

export function checkOp<Name extends string>(claim: string, c: OpCase<Name>): void {
  const names = Object.keys(c.inputs) as Name[];
  const random = new RandomStream(7, 0);
  const values = {} as Record<Name, Float64Array>;
  for (const name of names) {
    const { shape, values: make } = c.inputs[name];
    const drawn = make ? make(random) : Float32Array.from({ length: sizeOf(shape) }, () => 2 * random.uniform() - 1);
    // Both sides start from the same float32 numbers.
    values[name] = Float64Array.from(Float32Array.from(drawn));
  }
  const expected = [c.reference(values)].flat();
  const weights = expected.map((output) => Float64Array.from({ length: output.length }, () => random.normal()));

  function run(engine: Engine) {
    const tape = engine.tape();
    const tensors = {} as Record<Name, Tensor>;
    for (const name of names) {
      const { shape, constant } = c.inputs[name];
      tensors[name] = constant ? engine.buffer(shape, values[name]) : engine.parameter(shape, values[name]);
    }
    const outputs = [c.op(tape, tensors)].flat();
    const got = outputs.map((output) => output.data.slice());
    outputs.forEach((output, o) => {
      if (output.needsGradient) output.gradient.set(weights[o]);
    });
    tape.replay();
    const gradients = {} as Record<Name, Float32Array>;
    for (const name of names) if (tensors[name].needsGradient) gradients[name] = tensors[name].gradient.slice();
    tape.dispose();
    for (const name of names) engine.free(tensors[name]);
    return { got, gradients, shapes: outputs.map((output) => output.size) };
  }

  describe(claim, () => {
    for (const build of ['simd', 'relaxed'] as KernelBuild[]) {
      describe(`${build} kernels`, () => {
        let engine: Engine;
        beforeAll(() => {
          engine = new Engine({ threads: 1, build });
        });
        afterAll(() => engine.dispose());

        it('computes the reference value', () => {
          const { got } = run(engine);
          expect(got.length).toBe(expected.length);
          got.forEach((output, o) => {
            expectClose(output, expected[o], c.tolerance?.value ?? 2e-5, `output ${o}`);
          });
        });

        it('has the gradient that finite differences give', () => {
          const { gradients } = run(engine);
          for (const name of names) {
            if (c.inputs[name].constant) continue;
            const { indices, slopes } = finiteDifferences(c, values, weights, name);
            const picked = Float64Array.from(indices, (i) => gradients[name][i]);
            expectClose(picked, slopes, c.tolerance?.gradient ?? 2e-4, `gradient of ${name}`);
          }
        });
      });
    }

    it('gives the same bits on one thread and on three', async () => {
      const one = new Engine({ threads: 1 });
      const three = new Engine({ threads: 3 });
      try {
        const a = run(one);
        const b = run(three);
        expect(b.got).toEqual(a.got);
        expect(b.gradients).toEqual(a.gradients);
      } finally {
        await one.dispose();
        await three.dispose();
      }
    });
  });
}

const PROBES = 80;

/** Central differences of Σ weights·outputs with respect to up to `PROBES` numbers of one input. */
function finiteDifferences<Name extends string>(
  c: OpCase<Name>,
  values: Record<Name, Float64Array>,
  weights: Float64Array[],
  name: Name,
) {
  const total = (probe: Record<Name, Float64Array>) => {
    let sum = 0;
    [c.reference(probe)].flat().forEach((output, o) => {
      output.forEach((value, i) => {
        sum += value * weights[o][i];
      });
    });
    return sum;
  };
  const size = values[name].length;
  const count = Math.min(size, PROBES);
  const indices = Array.from({ length: count }, (_, i) => Math.floor((i * size) / count));
  const epsilon = c.epsilon ?? 1e-5;
  const slopes = Float64Array.from(indices, (index) => {
    const up = values[name].slice();
    const down = values[name].slice();
    up[index] += epsilon;
    down[index] -= epsilon;
    return (total({ ...values, [name]: up }) - total({ ...values, [name]: down })) / (2 * epsilon);
  });
  return { indices, slopes };
}

/** Expects every number within `tolerance` × the largest expected magnitude. */
export function expectClose(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number, what: string): void {
  expect(got.length, `${what}: length`).toBe(wanted.length);
  let scale = 1e-6;
  for (let i = 0; i < wanted.length; i++) scale = Math.max(scale, Math.abs(wanted[i]));
  let worst = 0;
  let at = 0;
  for (let i = 0; i < wanted.length; i++) {
    const off = Math.abs(got[i] - wanted[i]) / scale;
    if (!(off <= worst)) {
      worst = off;
      at = i;
    }
  }
  expect(worst, `${what}: [${at}] is ${got[at]}, wanted ${wanted[at]}`).toBeLessThanOrEqual(tolerance);
}
