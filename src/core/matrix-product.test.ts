import { afterAll, describe, it } from 'vitest';
import { expectClose } from '../../test/support/check-op.ts';
import { Engine } from './engine/engine.ts';
import { multiply, multiplyLong, multiplyStack } from './matrix-product.ts';
import { RandomStream } from './random.ts';

/** Float64 product of a [m, k] and b [k, n], added to c. */
function product(a: Float32Array, b: Float32Array, m: number, n: number, k: number, c?: Float32Array): Float64Array {
  return Float64Array.from({ length: m * n }, (_, at) => {
    const i = Math.floor(at / n);
    let sum = c ? c[at] : 0;
    for (let l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + (at % n)];
    return sum;
  });
}

describe('matrix products', () => {
  const engine = new Engine({ threads: 2 });
  afterAll(() => engine.dispose());
  const random = new RandomStream(3, 0);
  const drawn = (...shape: number[]) => {
    const tensor = engine.buffer(shape);
    random.fillUniform(tensor.data, -1, 1);
    return tensor;
  };

  it('over many rows are split into several tasks that each sum over all of k', () => {
    const [m, n, k] = [301, 37, 211];
    const a = drawn(m, k);
    const b = drawn(k, n);
    const c = drawn(m, n);
    const start = c.data.slice();
    const strides = { a: { at: a.address, row: k }, b: { at: b.address, row: n }, c: { at: c.address, row: n } };
    multiply(engine, { m, n, k, ...strides });
    expectClose(c.data, product(a.data, b.data, m, n, k), 2e-6, 'C = AB');
    c.data.set(start);
    multiply(engine, { m, n, k, ...strides, from: 'itself' });
    expectClose(c.data, product(a.data, b.data, m, n, k, start), 2e-6, 'C += AB');
  });

  it('over a long sum add up its pieces', () => {
    const [m, n, k] = [5, 9, 9001];
    const tape = engine.tape();
    const a = drawn(m, k);
    const b = drawn(k, n);
    const c = drawn(m, n);
    const wanted = product(a.data, b.data, m, n, k, c.data);
    const strides = { a: { at: a.address, row: k }, b: { at: b.address, row: n }, c: { at: c.address, row: n } };
    multiplyLong(tape, { m, n, k, ...strides });
    expectClose(c.data, wanted, 1e-5, 'C += AB');
    tape.dispose();
  });

  it('of stacks take one matrix each', () => {
    const [count, m, n, k] = [3, 6, 5, 7];
    const a = drawn(count, m, k);
    const b = drawn(count, k, n);
    const c = drawn(count, m, n);
    multiplyStack(engine, count, {
      m,
      n,
      k,
      a: { at: a.address, row: k, stack: m * k },
      b: { at: b.address, row: n, stack: k * n },
      c: { at: c.address, row: n, stack: m * n },
    });
    for (let s = 0; s < count; s++) {
      const one = product(a.data.subarray(s * m * k), b.data.subarray(s * k * n), m, n, k);
      expectClose(c.data.subarray(s * m * n, (s + 1) * m * n), one, 2e-6, `matrix ${s}`);
    }
  });
});
