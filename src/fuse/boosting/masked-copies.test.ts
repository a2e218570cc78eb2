import { describe, expect, it } from 'vitest';
import { binFeatures, MISSING_BIN } from './binning.ts';
import { binsWithCopies, MaskedCopies } from './masked-copies.ts';

const [SAMPLES, GROUPS, GROUP] = [400, 10, 3];
const FEATURES = GROUPS * GROUP;
const values = Float32Array.from({ length: SAMPLES * FEATURES }, (_, i) => (i * 37) % 101);
const missingIn = (copy: Float32Array) => copy.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);

describe('copies that lack owners', () => {
  const rules = { dropout: 0.3, group: GROUP, seed: 5 };

  it('lack whole owners, the share of them that was asked for, and other ones in every iteration', () => {
    const copies = new MaskedCopies(values, FEATURES, rules);
    const bins = binsWithCopies(binFeatures(values, FEATURES));
    copies.draw(1, bins.binned);
    const first = copies.values.slice();
    for (let at = 0; at < first.length; at += GROUP) {
      const own = first.subarray(at, at + GROUP);
      expect([0, GROUP]).toContain(missingIn(own));
    }
    expect(missingIn(first) / first.length).toBeCloseTo(0.3, 1);
    const perSample = Array.from({ length: SAMPLES }, (_, s) =>
      missingIn(first.subarray(s * FEATURES, (s + 1) * FEATURES)),
    );
    expect(Math.min(...perSample)).toBe(0);
    expect(Math.max(...perSample)).toBeGreaterThan(0.5 * FEATURES);
    copies.draw(2, bins.binned);
    expect(copies.values).not.toEqual(first);
    copies.draw(1, bins.binned);
    expect(copies.values).toEqual(first);
  });

  it.each([0.1, 0.5, 0.7, 0.9])('lack %f of the owners on average where that is asked for', (dropout) => {
    const copies = new MaskedCopies(values, FEATURES, { ...rules, dropout });
    copies.draw(1, binsWithCopies(binFeatures(values, FEATURES)).binned);
    expect(missingIn(copies.values) / copies.values.length).toBeCloseTo(dropout, 1);
  });

  it('have the bins of their values behind those of the whole samples', () => {
    const whole = binFeatures(values, FEATURES);
    const bins = binsWithCopies(whole);
    const copies = new MaskedCopies(values, FEATURES, rules);
    copies.draw(7, bins.binned);
    copies.draw(8, bins.binned);
    for (let feature = 0; feature < FEATURES; feature++) {
      const column = bins.binned.subarray(2 * feature * SAMPLES, 2 * (feature + 1) * SAMPLES);
      expect(column.subarray(0, SAMPLES)).toEqual(whole.binned.subarray(feature * SAMPLES, (feature + 1) * SAMPLES));
      for (let s = 0; s < SAMPLES; s++) {
        const isMissing = Number.isNaN(copies.values[s * FEATURES + feature]);
        expect(column[SAMPLES + s]).toBe(isMissing ? MISSING_BIN : column[s]);
      }
    }
  });

  it('stand beside the whole samples for validation, always the same', () => {
    const both = MaskedCopies.beside(values, FEATURES, rules);
    expect(both.subarray(0, values.length)).toEqual(values);
    expect(missingIn(both.subarray(values.length))).toBeGreaterThan(0);
    expect(MaskedCopies.beside(values, FEATURES, rules)).toEqual(both);
  });
});
