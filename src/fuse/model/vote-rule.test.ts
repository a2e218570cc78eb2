import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { BundleJoin, type Joined } from '../join/bundle-join.ts';
import { applyVoteRule, fitVoteRule, ownerProbabilities } from './vote-rule.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

/** `says[owner][sample]`: probability of class 1, undefined where the owner is absent */
function votes(says: (number | undefined)[][]): Joined {
  const samples = says[0].map((_, s) => `s${s}`);
  const join = new BundleJoin(engine, { samples, expected: says.length, votes: true });
  for (const [i, row] of says.entries()) {
    const seen = samples.filter((_, s) => row[s] !== undefined);
    const probabilities = Float32Array.from(row.flatMap((p) => (p === undefined ? [] : [1 - p, p])));
    const bundle = { owner: `o${i}`, samples: seen, sampleType: 'text' as const, width: 1, classes: 2, probabilities };
    join.add({ ...bundle, embeddings: new Float32Array(seen.length) }, '');
  }
  return join.finish();
}

const all = (joined: Joined) => Uint32Array.from(joined.samples, (_, row) => row);
const ones = (values: Float64Array) => Array.from(values).filter((_, i) => i % 2 === 1);

describe('votes', () => {
  const joined = votes([
    [0.9, 0.1, 0.9, undefined],
    [0.8, 0.2, 0.4, undefined],
    [0.4, 0.6, 0.4, undefined],
    [0.1, undefined, 0.45, undefined],
  ]);

  it('by majority are shares of who is present; nobody present is undecided', () => {
    expect(ones(applyVoteRule({ method: 'majority' }, joined, all(joined)))).toEqual([0.5, 1 / 3, 0.25, 0.5]);
  });

  it('by threshold put the threshold at one half', () => {
    const stretched = ones(applyVoteRule({ method: 'threshold', threshold: 0.3 }, joined, all(joined)));
    expect(stretched.map((p) => p > 0.5)).toEqual([true, true, false, true]);
    const equal = ones(applyVoteRule({ method: 'threshold', threshold: 0.25 }, joined, all(joined)));
    expect(equal[2]).toBe(0.5); // not above the threshold: class 0 wins the tie
  });

  it('by average are mean probabilities of who is present', () => {
    const [first, second] = ones(applyVoteRule({ method: 'average' }, joined, all(joined)));
    expect(first).toBeCloseTo(0.55, 6);
    expect(second).toBeCloseTo(0.3, 6);
  });

  it('by the best owner follow its ranking, falling back to the next who is present', () => {
    const rows = Uint32Array.of(0, 1, 2);
    const rule = fitVoteRule('best', joined, { rows, labels: [0, 0, 0] });
    expect(rule.order).toEqual([3, 1, 2, 0]);
    const [first, second, , nobody] = ones(applyVoteRule(rule, joined, all(joined)));
    expect(first).toBeCloseTo(0.1, 6);
    expect(second).toBeCloseTo(0.2, 6);
    expect(nobody).toBe(0.5);
  });

  it('of one owner cover the samples it saw', () => {
    const own = ownerProbabilities(joined, all(joined), 3);
    expect(Array.from(own.rows)).toEqual([0, 2]);
  });

  it('choose the threshold with the best F1 on validation', () => {
    const rows = Uint32Array.of(0, 1, 2);
    // Shares 0.5, 0.333, 0.25: with labels 1, 1, 0 a threshold of 0.25 is perfect.
    expect(fitVoteRule('threshold', joined, { rows, labels: [1, 1, 0] }).threshold).toBe(0.25);
  });

  it('are refused where a bundle withholds them, and by threshold for three classes', () => {
    const { votes: _, ...silent } = joined;
    expect(() => applyVoteRule({ method: 'majority' }, silent, all(joined))).toThrow(
      'votes: every bundle must carry the class probabilities of its local model',
    );
    const three = { ...joined, votes: { classes: 3, probabilities: [] } };
    expect(() => fitVoteRule('threshold', three, { rows: all(joined), labels: [] })).toThrow(
      'method threshold: must have two classes, got 3',
    );
  });
});
