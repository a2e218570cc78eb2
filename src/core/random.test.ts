// Tests of the counter-based random numbers.
import { describe, expect, test } from 'vitest';
import { centredUniform, type PhiloxCounter, type PhiloxKey, philox4x32, RandomStream, seedKey } from './random.ts';

describe('philox4x32', () => {
  /** Random123, tests/kat_vectors, the lines `philox4x32 10`: counter, key, output. */
  const knownAnswers: [PhiloxCounter, PhiloxKey, number[]][] = [
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ];

  test.each(knownAnswers)('counter %j with key %j gives the published answer', (counter, key, answer) => {
    const out = new Uint32Array(4);
    philox4x32(counter, key, out);
    expect([...out]).toEqual(answer);
  });
});

describe('seedKey', () => {
  test('splits a 53-bit seed into its low 32 and high 21 bits', () => {
    expect(seedKey(0)).toEqual([0, 0]);
    expect(seedKey(2 ** 32 + 7)).toEqual([7, 1]);
    expect(seedKey(2 ** 53 - 1)).toEqual([0xffffffff, 0x1fffff]);
  });

  test('a seed that is not a whole number below 2^53 is refused with its value', () => {
    expect(() => seedKey(-1)).toThrow('seed: must be an integer in [0, 2^53), got -1');
    expect(() => seedKey(0.5)).toThrow('got 0.5');
    expect(() => seedKey(2 ** 53)).toThrow('got 9007199254740992');
  });
});

describe('centredUniform', () => {
  test('is exact in float32, symmetric, and never 0 or ±1', () => {
    for (const bits of [0, 1, 255, 256, 0x7fffff00, 0x7fffffff, 0x80000000, 0xdeadbeef, 0xffffffff]) {
      const x = centredUniform(bits);
      expect(Math.fround(x)).toBe(x);
      expect(centredUniform(~bits >>> 0)).toBe(-x);
      expect(Math.abs(x)).toBeGreaterThan(0);
      expect(Math.abs(x)).toBeLessThan(1);
    }
    expect(centredUniform(0)).toBe(-1 + 2 ** -24);
    expect(centredUniform(0x80000000)).toBe(2 ** -24);
    expect(centredUniform(0xffffffff)).toBe(1 - 2 ** -24);
  });
});

describe('RandomStream', () => {
  test('the same seed and stream id give the same numbers; either one changed gives others', () => {
    const draw = (seed: number, stream: number) => {
      const random = new RandomStream(seed, stream);
      return Array.from({ length: 5 }, () => random.bits());
    };
    expect(draw(7, 0)).toEqual(draw(7, 0));
    expect(draw(7, 1)).not.toEqual(draw(7, 0));
    expect(draw(8, 0)).not.toEqual(draw(7, 0));
  });

  test('reads the blocks (i, 0, 2^32 − 1, stream) in order', () => {
    const random = new RandomStream(42, 5);
    const out = new Uint32Array(4);
    for (let i = 0; i < 3; i++) {
      philox4x32([i, 0, 0xffffffff, 5], [42, 0], out);
      expect([random.bits(), random.bits(), random.bits(), random.bits()]).toEqual([...out]);
    }
  });

  test('uniform and normal have the right first four moments over 100,000 draws', () => {
    const random = new RandomStream(2023, 0);
    const n = 100_000;
    let mean = 0;
    const moments = [0, 0, 0, 0];
    for (let i = 0; i < n; i++) {
      mean += random.uniform() / n;
      const z = random.normal();
      for (let k = 0; k < 4; k++) moments[k] = (moments[k] as number) + z ** (k + 1) / n;
    }
    // Four standard errors: the moments' variances are 1/12 and 1, 2, 15, 96.
    const bound = (variance: number) => 4 * Math.sqrt(variance / n);
    expect(Math.abs(mean - 0.5)).toBeLessThan(bound(1 / 12));
    expect(Math.abs(moments[0] as number)).toBeLessThan(bound(1));
    expect(Math.abs((moments[1] as number) - 1)).toBeLessThan(bound(2));
    expect(Math.abs(moments[2] as number)).toBeLessThan(bound(15));
    expect(Math.abs((moments[3] as number) - 3)).toBeLessThan(bound(96));
  });

  test('integer(n) stays below n and is even: chi-square over 6 faces below its 0.999 quantile', () => {
    const random = new RandomStream(2023, 1);
    const counts = new Array<number>(6).fill(0);
    for (let i = 0; i < 60_000; i++) {
      const face = random.integer(6);
      counts[face] = (counts[face] as number) + 1;
    }
    expect(counts).toHaveLength(6);
    expect(counts.reduce((sum, c) => sum + (c - 10_000) ** 2 / 10_000, 0)).toBeLessThan(20.52);
    expect(() => random.integer(0)).toThrow('random integer range: must be an integer in [1, 2^32], got 0');
  });

  test('permutation(n) holds each index once and favours no order of three', () => {
    const random = new RandomStream(2023, 2);
    expect([...random.permutation(207)].sort((a, b) => a - b)).toEqual(Array.from({ length: 207 }, (_, i) => i));
    expect([...random.permutation(0)]).toEqual([]);
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.permutation(3).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(1000));
  });

  test('fillUniform writes lo + (hi − lo)·u in order, one word each', () => {
    const out = new Float32Array(1000);
    new RandomStream(3, 4).fillUniform(out, -0.25, 0.75);
    const random = new RandomStream(3, 4);
    for (const value of out) expect(value).toBe(Math.fround(0.25 + 0.5 * centredUniform(random.bits())));
    expect(Math.min(...out)).toBeLessThan(-0.24);
    expect(Math.max(...out)).toBeGreaterThan(0.74);
  });

  test('a stream id outside 32 bits is refused', () => {
    expect(() => new RandomStream(0, -1)).toThrow('random stream id: must be an integer in [0, 2^32), got -1');
  });
});
