import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { type AuditInput, auditEmbeddings } from './audit-embeddings.ts';
import { distanceCorrelation } from './distance-correlation.ts';
import { guessClasses } from './guess-classes.ts';
import { guessMembership } from './guess-membership.ts';
import { jacobianBound, singularValues } from './jacobian-bound.ts';
import { fitNetwork } from './network-attacker.ts';
import { fitLine, solvePositive } from './ridge.ts';
import { columnsOf, pickRows, recovered, rowsOf } from './rows.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const [SAMPLES, LENGTH] = [400, 6];
const random = new RandomStream(5, 0);
const normals = (count: number) => Float64Array.from({ length: count }, () => random.normal());
/** Windows whose readings hang together, around 50 with a deviation of about 10. */
const windows = Float64Array.from(
  Array.from({ length: SAMPLES }, () => {
    const level = random.normal();
    return Array.from({ length: LENGTH }, () => 50 + 8 * level + 6 * random.normal());
  }).flat(),
);
const rows = rowsOf(windows, LENGTH);
const ids = Array.from({ length: SAMPLES }, (_, i) => `s${i}`);
const parts = ids.map((_, i) => (['train', 'train', 'validation', 'test', 'test'] as const)[i % 5]);
const input = (embeddings: ArrayLike<number>, width: number): AuditInput => ({
  owner: 'north',
  samples: ids,
  embeddings,
  width,
  windows,
  length: LENGTH,
  variates: ['speed'],
  parts,
});
const half = (kind: 'line' | 'network', { recoveries }: ReturnType<typeof auditEmbeddings>) =>
  recoveries.find(({ attacker, known }) => attacker === kind && known === 0.5)!;

describe('an audit', () => {
  it('finds everything in embeddings that are the windows, turned', () => {
    const mixed = windows.map((_, at) => windows[at - (at % LENGTH) + ((at + 1) % LENGTH)] / 10 + windows[at] / 7);
    const audit = auditEmbeddings(engine, input(mixed, LENGTH));
    expect(half('line', audit).every.share).toBeGreaterThan(0.99);
    expect(half('line', audit).mean).toMatchObject({ share: expect.closeTo(1, 2) });
    expect(half('line', audit).every.guess).toBeCloseTo(10, -0.5);
    expect(audit.worst).toBeGreaterThan(0.99);
    expect(audit.distanceCorrelation).toBeGreaterThan(0.9);
    expect(audit.imitation).toBeGreaterThan(0.9);
    const { truth, guess } = audit.examples[0];
    for (const [t, value] of truth.entries()) expect(guess[t]).toBeCloseTo(value, -1);
  });

  it('finds nothing in embeddings that have nothing to do with the windows, and does not flatter itself', () => {
    const audit = auditEmbeddings(engine, input(normals(SAMPLES * 4), 4));
    expect(audit.worst).toBeLessThan(0.1);
    expect(audit.imitation).toBeLessThan(0.1);
    const { error, guess } = half('line', audit).mean;
    expect(error).toBeGreaterThan(0.9 * guess);
  });

  it('finds the mean alone where the mean alone was sent', () => {
    const means = Float64Array.from({ length: SAMPLES }, (_, s) =>
      windows.subarray(s * LENGTH, (s + 1) * LENGTH).reduce((sum, value) => sum + value / LENGTH, 0),
    );
    const { mean, every } = half('line', auditEmbeddings(engine, input(means, 1)));
    expect(mean.share).toBeGreaterThan(0.99);
    expect(every.share).toBeLessThan(0.9);
  });

  it('is the same every time, and leaves the engine as it was', () => {
    const embeddings = normals(SAMPLES * 3);
    const first = auditEmbeddings(engine, input(embeddings, 3));
    const { used } = engine.memory;
    expect(auditEmbeddings(engine, input(embeddings, 3))).toEqual(first);
    expect(engine.memory.used).toBe(used);
  });

  it('guesses labels, the time of day and other attributes from embeddings that show them', () => {
    const labels = Int32Array.from(ids, () => random.integer(3));
    const shown = Float64Array.from(
      ids.flatMap((_, i) => [0, 1, 2].map((c) => (labels[i] === c ? 3 : 0) + random.normal())),
    );
    const times = ids.map((_, i) => `2012-03-01T${String(i % 24).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}`);
    const attributes = { coin: Int32Array.from(ids, () => random.integer(2)) };
    const { classes } = auditEmbeddings(engine, { ...input(shown, 3), samples: times, labels, attributes });
    expect(classes.map(({ name }) => name)).toEqual(['label', 'time of day', 'coin']);
    const [label, hour, coin] = classes;
    expect(label.clustering).toBeGreaterThan(0.8);
    expect(label.fewLabels.at(-1)?.accuracy).toBeGreaterThan(0.8);
    expect(label.commonest).toBeLessThan(0.5);
    for (const nothing of [hour, coin]) {
      expect(nothing.fewLabels.at(-1)?.accuracy).toBeLessThan(nothing.commonest + 0.15);
    }
  });

  it.each([
    ['ten samples', { samples: ids.slice(0, 10) }],
    ['an embedding too few', { embeddings: normals(SAMPLES - 1), width: 1 }],
    ['a reading that is none', { windows: windows.with(7, Number.NaN) }],
  ])('refuses %s', (_, change) => {
    expect(() => auditEmbeddings(engine, { ...input(normals(SAMPLES), 1), ...change })).toThrow(
      expect.objectContaining({ code: 'F3_LEAK_AUDIT' }),
    );
  });

  it('takes constant columns for what they are, and data without parts', () => {
    const constant = new Float64Array(SAMPLES * 2).fill(3);
    const { parts: _, ...loose } = input(constant, 2);
    const audit = auditEmbeddings(engine, loose);
    expect(audit.worst).toBeLessThan(0.05);
    expect(audit.heldOut).toBe(SAMPLES / 2);
    const still = auditEmbeddings(engine, { ...input(normals(SAMPLES), 1), windows: windows.map(() => 50) });
    expect(still.worst).toBe(0);
  });
});

describe('the attackers', () => {
  it('of few samples know as large a share as is stated', () => {
    const few = 20;
    const readings = windows.slice(0, few * LENGTH);
    const all = { ...input(normals(few), 1), samples: ids.slice(0, few), windows: readings, parts: undefined };
    const stated = auditEmbeddings(engine, all).recoveries.map(({ known, pairs }) => [known, pairs]);
    expect(stated.filter((_, i) => i % 2 === 0)).toEqual([
      [0.25, 5],
      [0.25, 5],
      [0.5, 10],
    ]);
  });

  it('guess classes of more samples than a call may have arguments', () => {
    const known = Array.from({ length: 200_000 }, (_, i) => i % 40);
    const embeddings = rowsOf(
      Float64Array.from({ length: 40 }, (_, i) => i % 2),
      1,
    );
    const labels = Int32Array.from({ length: 40 }, (_, i) => i % 2);
    const guess = guessClasses('parity', embeddings, labels, { known, test: known }, 1);
    expect(guess).toMatchObject({ classes: 2, commonest: 0.5, clustering: 1 });
  });

  it('line: solves what it is given', () => {
    const a = Float64Array.of(4, 0, 2, 3);
    const x = solvePositive(a, 2, Float64Array.of(8, 7), 1);
    expect([4 * x[0] + 2 * x[1], 2 * x[0] + 3 * x[1]].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([8, 7]);
  });

  it('network: sees what a line cannot', () => {
    const x = rowsOf(normals(600), 1);
    const y = { values: x.values.map((value) => value ** 2), width: 1 };
    const [known, test] = [Array.from({ length: 400 }, (_, i) => i), Array.from({ length: 200 }, (_, i) => 400 + i)];
    const share = (attacker: (rows: typeof x) => typeof x) =>
      recovered(pickRows(y, test), attacker(pickRows(x, test)), columnsOf(pickRows(y, known)).mean).share;
    expect(share(fitLine(pickRows(x, known), pickRows(y, known)))).toBeLessThan(0.2);
    expect(share(fitNetwork(engine, pickRows(x, known), pickRows(y, known), 1))).toBeGreaterThan(0.9);
  });

  it('membership: a coin where there is nothing, and found where training left its mark', () => {
    const [inside, outside] = [
      Array.from({ length: 200 }, (_, i) => i),
      Array.from({ length: 200 }, (_, i) => 200 + i),
    ];
    const plain = rowsOf(normals(800), 2);
    expect(guessMembership(plain, inside, outside, 1)?.auc).toBeCloseTo(0.5, 0);
    const marked = { values: plain.values.map((value, at) => (at < 400 ? 3 * value : value)), width: 2 };
    expect(guessMembership(marked, inside, outside, 1)?.auc).toBeGreaterThan(0.8);
    expect(guessMembership(plain, inside.slice(0, 5), outside, 1)).toBeUndefined();
  });

  it('distance correlation: one for the same, little for strangers', () => {
    expect(distanceCorrelation(rows, { ...rows, values: rows.values.map((value) => 3 * value) })).toBeCloseTo(1, 9);
    expect(distanceCorrelation(pickRows(rows, [...Array(300).keys()]), rowsOf(normals(300), 1))).toBeLessThan(0.2);
  });
});

describe('the bound that needs no attacker', () => {
  const test = [0, 1, 2, 3];

  it('is everything for a model that keeps everything, and the kept share for one that keeps some', () => {
    const all = jacobianBound(rows, test, (given) => given);
    expect(all?.recoverable).toBeGreaterThan(0.999);
    expect(all?.directions).toBe(LENGTH);
    const independent = rowsOf(normals(SAMPLES * LENGTH), LENGTH);
    const two = jacobianBound(independent, test, ({ values, width }) => ({
      values: Float64Array.from(
        { length: (values.length / width) * 2 },
        (_, at) => values[Math.floor(at / 2) * width + (at % 2)],
      ),
      width: 2,
    }));
    expect(two?.recoverable).toBeCloseTo(2 / LENGTH, 1);
  });

  it('falls with noise as Bayes says', () => {
    const one = rowsOf(normals(SAMPLES), 1);
    // A reading of deviation 1 under noise of deviation 1 leaves half.
    const { deviation } = columnsOf(one);
    expect(jacobianBound(one, test, (given) => given, deviation[0])?.recoverable).toBeCloseTo(0.5, 2);
  });

  it('no attacker passes', () => {
    const noise = 10;
    const noisy = windows.map((value) => value + noise * random.normal());
    const audit = auditEmbeddings(engine, { ...input(noisy, LENGTH), embed: (given) => given, noise });
    expect(audit.worst).toBeGreaterThan(0.3);
    expect(half('network', audit).every.share).toBeLessThan((audit.bound?.recoverable ?? 0) + 0.05);
    expect(half('line', audit).every.share).toBeLessThan((audit.bound?.recoverable ?? 0) + 0.05);
  });

  it('knows singular values, and says nothing of windows that are too long', () => {
    expect(singularValues(Float64Array.of(3, 0, 0, 4), 2, 2)).toEqual([4, 3]);
    expect(jacobianBound(rowsOf(new Float64Array(1000), 500), [0], (given) => given)).toBeUndefined();
  });
});
