import { afterAll, describe, expect, it } from 'vitest';
import { checkOp, expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/self-attention.ts';
import { selfAttention } from './self-attention.ts';

const sizes: [number, number, number, number][] = [
  [1, 2, 1, 1],
  [2, 3, 2, 1],
  [3, 5, 4, 4],
  [9, 7, 2, 3],
  [2, 8, 1, 6],
  [1, 33, 2, 5],
  [2, 17, 1, 16],
];

for (const size of sizes) {
  const [batch, n, heads, width] = size;
  const shape = [batch, n, heads * width];
  checkOp(`selfAttention of ${n} owners, ${heads} heads of width ${width}, batch ${batch}`, {
    inputs: { q: { shape }, k: { shape }, v: { shape } },
    op: (tape, { q, k, v }) => selfAttention(tape, q, k, v, { heads }),
    reference: ({ q, k, v }) => reference.selfAttention(q, k, v, undefined, size),
  });
}

const someAbsent = Array.from({ length: 3 * 21 }, (_, i) => {
  const [example, owner] = [Math.floor(i / 21), i % 21];
  // The first example lacks every third owner, the second all of them, the third all but one.
  return example === 0 ? +(owner % 3 !== 1) : +(example === 2 && owner === 5);
});

checkOp('selfAttention leaves absent owners out', {
  inputs: {
    q: { shape: [3, 21, 8] },
    k: { shape: [3, 21, 8] },
    v: { shape: [3, 21, 8] },
    present: { shape: [3, 21], constant: true, values: () => someAbsent },
  },
  op: (tape, { q, k, v, present }) => selfAttention(tape, q, k, v, { heads: 2, present }),
  reference: ({ q, k, v, present }) => reference.selfAttention(q, k, v, present, [3, 21, 2, 4]),
});

checkOp('selfAttention of a tensor with itself', {
  inputs: { x: { shape: [2, 6, 4] } },
  op: (tape, { x }) => selfAttention(tape, x, x, x, { heads: 2 }),
  reference: ({ x }) => reference.selfAttention(x, x, x, undefined, [2, 6, 2, 2]),
});

for (const learned of ['q', 'k', 'v'] as const) {
  checkOp(`selfAttention where only ${learned} is learned`, {
    inputs: {
      q: { shape: [2, 9, 4], constant: learned !== 'q' },
      k: { shape: [2, 9, 4], constant: learned !== 'k' },
      v: { shape: [2, 9, 4], constant: learned !== 'v' },
    },
    op: (tape, { q, k, v }) => selfAttention(tape, q, k, v, { heads: 1 }),
    reference: ({ q, k, v }) => reference.selfAttention(q, k, v, undefined, [2, 9, 1, 4]),
  });
}

for (const width of [4, 6]) {
  const shape = [2, 19, width];
  const large = (random: RandomStream) =>
    Float32Array.from({ length: 2 * 19 * width }, () => 40 * random.uniform() - 20);
  checkOp(`selfAttention of width ${width} with scores in the hundreds, where one owner takes all`, {
    inputs: { q: { shape, values: large }, k: { shape, values: large }, v: { shape } },
    op: (tape, { q, k, v }) => selfAttention(tape, q, k, v, { heads: 1 }),
    reference: ({ q, k, v }) => reference.selfAttention(q, k, v, undefined, [2, 19, 1, width]),
    tolerance: { value: 1e-4, gradient: 1e-3 },
  });
}

describe('selfAttention', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('gives zeros and passes no gradient where all owners are absent', () => {
    const q = engine.parameter(
      [1, 3, 4],
      Array.from({ length: 12 }, (_, i) => i),
    );
    const output = selfAttention(tape, q, q, q, { heads: 2, present: engine.buffer([1, 3]) });
    expect([...output.data]).toEqual(Array(12).fill(0));
    output.gradient.fill(1);
    tape.replay();
    expect([...q.gradient]).toEqual(Array(12).fill(0));
  });

  it('gives a lone owner its own value and its score no gradient', () => {
    const [q, k, v] = [0.3, -0.7, 0.9].map((value) => engine.parameter([1, 1, 1], [value]));
    const output = selfAttention(tape, q, k, v, { heads: 1 });
    expect(output.item()).toBeCloseTo(0.9, 6);
    output.gradient.fill(1);
    tape.replay();
    expect(q.gradient[0]).toBeCloseTo(0, 6);
    expect(k.gradient[0]).toBeCloseTo(0, 6);
    expect(v.gradient[0]).toBeCloseTo(1, 6);
  });

  it('averages the values where all scores are equal, however large or small', () => {
    for (const level of [0, 1e4, -1e4]) {
      const q = engine.buffer([1, 3, 1], [1, 1, 1]);
      const k = engine.buffer([1, 3, 1], [level, level, level]);
      const v = engine.buffer([1, 3, 1], [1, 2, 6]);
      expectClose(selfAttention(tape, q, k, v, { heads: 1 }).data, [3, 3, 3], 1e-6, `level ${level}`);
    }
  });

  it('ignores the numbers of absent owners, even those that are not numbers', () => {
    const x = engine.buffer([1, 2, 1], [2, Number.NaN]);
    const ones = engine.buffer([1, 2, 1], [1, 1]);
    const output = selfAttention(tape, ones, x, x, { heads: 1, present: engine.buffer([1, 2], [1, 0]) });
    expect([...output.data]).toEqual([2, 2]);
  });

  it('refuses shapes that differ', () => {
    const x = engine.buffer([2, 3, 4]);
    const other = engine.buffer([2, 4, 4]);
    const refused = (q = x, k = x, v = x, present = engine.buffer([2, 3])) =>
      expect(() => selfAttention(tape, q, k, v, { heads: 2, present }));
    refused(engine.buffer([2, 3])).toThrow('selfAttention queries: shape must be [batch, n, d], got [2, 3]');
    refused(x, other).toThrow('selfAttention keys: shape must be [2, 3, 4], got [2, 4, 4]');
    refused(x, x, other).toThrow('selfAttention values: shape must be [2, 3, 4], got [2, 4, 4]');
    refused(x, x, x, other).toThrow('selfAttention present: shape must be [2, 3], got [2, 4, 4]');
  });

  it('refuses a number of heads that does not divide the width', () => {
    const x = engine.buffer([2, 3, 4]);
    for (const heads of [3, 0, 1.5]) {
      expect(() => selfAttention(tape, x, x, x, { heads })).toThrow(
        `selfAttention heads: must be a positive divisor of the width 4, got ${heads}`,
      );
    }
  });
});
