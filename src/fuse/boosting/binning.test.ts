import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../core/random.ts';
import { binFeatures, featureThresholds, MISSING_BIN } from './binning.ts';

describe('bins', () => {
  it('part every two different values while these are few, and keep missing ones apart', () => {
    const { thresholds, binned, hasMissing } = binFeatures(Float32Array.of(3, 1, Number.NaN, 1, 2, 2, 3, 2), 2);
    expect([...thresholds[0]]).toEqual([2.5]);
    expect([...thresholds[1]]).toEqual([1.5]);
    expect([...binned]).toEqual([1, MISSING_BIN, 0, 1, 0, 0, 1, 1]);
    expect([...hasMissing]).toEqual([1, 0]);
  });

  it('hold about the same number of many values each', () => {
    const random = new RandomStream(1, 0);
    const values = Float32Array.from({ length: 5100 }, () => random.normal());
    const { thresholds, binned } = binFeatures(values, 1);
    expect(thresholds[0].length).toBe(MISSING_BIN - 1);
    const counts = new Uint32Array(256);
    for (const bin of binned) counts[bin]++;
    expect(new Set(counts.subarray(0, MISSING_BIN))).toEqual(new Set([20]));
    expect(counts[MISSING_BIN]).toBe(0);
  });

  it('put a value on the same side as the stored threshold does, even between neighbouring floats', () => {
    const low = Math.fround(1 + 2 ** -23);
    const high = Math.fround(1 + 2 ** -22);
    const [cut] = featureThresholds(Float32Array.of(low, high));
    expect(low <= cut && cut < high).toBe(true);
  });

  it('are one for what never varies, and for what is always missing', () => {
    const { thresholds, binned } = binFeatures(Float32Array.of(7, Number.NaN, 7, Number.NaN), 2);
    expect(thresholds.map((cuts) => cuts.length)).toEqual([0, 0]);
    expect([...binned]).toEqual([0, 0, MISSING_BIN, MISSING_BIN]);
  });
});
