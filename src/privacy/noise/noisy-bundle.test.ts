import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paidBundle } from '../../../test/support/paid-bundle.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { decodeBundle, encodeBundle } from '../../exchange/bundle/bundle.ts';
import { parsePrivacyNote } from '../../exchange/bundle/privacy-note.ts';
import { checkNoiseChoice, keepNoiseChoice, noiseChoice } from './noise-choice.ts';
import { costPerSample } from './noise-embeddings.ts';
import { noisyBundle, openBudget, openNoiseKey } from './noisy-bundle.ts';
import { epsilonOf } from './zcdp.ts';

const options = { clip: 2, noise: 2 };
const cost = costPerSample(options, 4);
const delta = 1e-5;
const once = epsilonOf(cost, delta);
const limit = { epsilon: 2 * once, delta };
const bundle = toyBundle(0, { samples: 20 });
const refused = expect.objectContaining({ code: 'F3_PRIVACY_BUDGET' });

describe('a bundle under noise', () => {
  it('says what was done to it, and leaves its votes at home', () => {
    const narrow = { ...bundle, privacy: JSON.stringify({ bottleneck: 3 }) };
    const { bytes, spent, paid } = paidBundle(narrow, options, limit, temporaryDirectory());
    const sent = decodeBundle(bytes, 'sent');
    expect(sent.probabilities).toBeUndefined();
    expect(sent.samples).toEqual(bundle.samples);
    expect(sent.embeddings).not.toEqual(bundle.embeddings);
    const note = parsePrivacyNote(sent.privacy ?? '');
    expect(note).toMatchObject({ mechanism: 'discrete Gaussian', ...options, delta, bottleneck: 3 });
    expect(note?.epsilon).toBeCloseTo(once, 4);
    expect(paid).toBe(20);
    expect(spent).toEqual({ epsilon: expect.closeTo(once, 9), delta, samples: 20, releases: 1 });
  });

  it('has the same bytes when it is sent again, for nothing', () => {
    const folder = temporaryDirectory();
    const first = paidBundle(bundle, options, limit, folder);
    const again = paidBundle(bundle, options, limit, folder);
    expect(again.paid).toBe(0);
    expect(again.bytes).toEqual(first.bytes);
    expect(again.spent).toEqual(first.spent);
  });

  it('costs nothing for samples that were sent before, in whatever bundle and however a time is spelled', () => {
    const folder = temporaryDirectory();
    const times = bundle.samples.map((_, i) => `2026-03-01T07:${10 + i}`);
    const whole = { ...bundle, samples: times };
    const part = { ...whole, samples: times.slice(5, 15), embeddings: bundle.embeddings.slice(5 * 4, 15 * 4) };
    const { probabilities: _votes, ...without } = part;
    const first = decodeBundle(paidBundle(without, options, limit, folder).bytes, 'first');
    const { bytes, paid, spent } = paidBundle(whole, options, limit, folder);
    expect([paid, spent.samples]).toEqual([10, 20]);
    expect(spent.epsilon).toBeCloseTo(once, 9);
    expect(decodeBundle(bytes, 'second').embeddings.slice(5 * 4, 15 * 4)).toEqual(first.embeddings);
    const key = openNoiseKey(folder);
    const one = [bundle.embeddings.subarray(0, 4), 4, options] as const;
    expect(key.noise(['2026-03-01 07:10:00'], ...one)).toEqual(key.noise(['2026-03-01T07:10'], ...one));
    expect(key.noise(['2026-03-01T07:11'], ...one)).not.toEqual(key.noise(['2026-03-01T07:10'], ...one));
  });

  it('costs again when another model made it, by sample, until the limit, and then nothing is drawn', () => {
    const folder = temporaryDirectory();
    const model = (number: number) => ({ ...bundle, embeddings: bundle.embeddings.map((value) => value + number) });
    paidBundle(model(0), options, limit, folder);
    const half = { ...toyBundle(1, { samples: 40, saw: (_, sample) => sample >= 10 }) };
    const { spent } = paidBundle(half, options, limit, folder);
    expect(spent).toMatchObject({ samples: 40, releases: 2 });
    expect(spent.epsilon).toBeCloseTo(epsilonOf(2 * cost, delta), 9);
    expect(() => paidBundle(model(1), options, { epsilon: 1.1 * once, delta }, folder)).toThrow(refused);
    expect(openBudget(folder).spent(delta)).toEqual(spent);
  });

  it('costs again when the key of its noise was lost, and is refused when that is damaged', () => {
    const folder = temporaryDirectory();
    const first = paidBundle(bundle, options, limit, folder);
    const file = join(folder, 'privacy', 'noise.key');
    expect(statSync(file).mode & 0o077).toBe(0);
    rmSync(file);
    const second = paidBundle(bundle, options, limit, folder);
    expect(second.bytes).not.toEqual(first.bytes);
    expect(second.spent.epsilon).toBeCloseTo(epsilonOf(2 * cost, delta), 9);
    writeFileSync(file, 'hello\n');
    expect(() => paidBundle(bundle, options, limit, folder)).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
  });

  it('costs nothing until it is about to leave, and then no more than what is left', () => {
    const folder = temporaryDirectory();
    const tight = { epsilon: 1.1 * once, delta };
    const other = { ...bundle, embeddings: bundle.embeddings.map((value) => value + 1) };
    const [one, two] = [noisyBundle(bundle, options, tight, folder), noisyBundle(other, options, tight, folder)];
    expect(openBudget(folder).spent(delta).releases).toBe(0);
    const paid = one.pay();
    expect([paid.paid, one.pay()]).toEqual([20, paid]);
    expect(() => two.pay()).toThrow(refused);
    expect(() => noisyBundle(other, options, tight, folder)).toThrow(refused);
    expect(openBudget(folder).spent(delta)).toEqual(paid.spent);
  });

  it('has noise of the stated size that nobody without the key can compute', () => {
    const many = toyBundle(0, { samples: 500 });
    const apart = (folder: string) =>
      decodeBundle(paidBundle(many, options, limit, folder).bytes, 'b').embeddings.map(
        (value, at) => value - many.embeddings[at],
      );
    const [one, other] = [apart(temporaryDirectory()), apart(temporaryDirectory())];
    const together = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, value, i) => sum + value * b[i], 0) / a.length;
    expect(Math.sqrt(together(one, one)) / 4).toBeCloseTo(1, 0.9);
    // Correlation of 2000 independent pairs has a standard deviation of .022.
    expect(Math.abs(together(one, other)) / 16).toBeLessThan(0.1);
    const [a, b] = [one.subarray(0, 1000), one.subarray(1000)];
    expect(Math.abs(together(a, b)) / 16).toBeLessThan(0.15);
  });
});

describe('the budget', () => {
  it('drops a line that a crash cut off, and sees what another process has spent', () => {
    const folder = temporaryDirectory();
    const [one, other] = [openBudget(folder), openBudget(folder)];
    one.spend({ rows: ['a'], cost, samples: ['s'] }, limit);
    appendFileSync(join(folder, 'privacy', 'spent.jsonl'), '{"cost":1,"samp');
    other.spend({ rows: ['c'], cost, samples: ['s'] }, { epsilon: 100, delta });
    expect(other.spent(delta)).toMatchObject({ samples: 1, releases: 2 });
    expect(openBudget(folder).spent(delta)).toEqual(other.spent(delta));
    expect(() => one.spend({ rows: ['d'], cost, samples: ['s'] }, { epsilon: 1.5 * once, delta })).toThrow(refused);
  });

  it('counts what an earlier version paid for, and the same sample twice in a release twice', () => {
    const folder = temporaryDirectory();
    openBudget(folder);
    const file = join(folder, 'privacy', 'spent.jsonl');
    writeFileSync(file, `${JSON.stringify({ key: 'old', cost, samples: ['s'] })}\n`);
    const budget = openBudget(folder);
    expect(budget.spent(delta).epsilon).toBeCloseTo(once, 9);
    const twice = { cost, samples: ['t', 't'], rows: ['a', 'b'] };
    expect(() => budget.spend(twice, { epsilon: 1.1 * once, delta })).toThrow(refused);
    expect(budget.spend(twice, limit)).toBe(2);
    expect(budget.spent(delta).epsilon).toBeCloseTo(epsilonOf(2 * cost, delta), 9);
  });

  it('is refused when its file is not one', () => {
    const folder = temporaryDirectory();
    openBudget(folder);
    writeFileSync(join(folder, 'privacy', 'spent.jsonl'), 'hello\n');
    expect(() => openBudget(folder)).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
  });
});

describe('the choice of noise', () => {
  it('is kept, and refused when it makes no sense', () => {
    const folder = temporaryDirectory();
    expect(noiseChoice(folder)).toBeUndefined();
    const choice = { ...options, epsilon: 8, delta };
    keepNoiseChoice(folder, choice);
    expect(noiseChoice(folder)).toEqual(choice);
    for (const wrong of [{ clip: -1 }, { noise: 0 }, { delta: 1 }, { epsilon: Number.NaN }]) {
      expect(() => checkNoiseChoice({ ...choice, ...wrong })).toThrow(expect.objectContaining({ code: 'F3_ARGUMENT' }));
    }
    mkdirSync(join(folder, 'privacy'), { recursive: true });
    writeFileSync(join(folder, 'privacy', 'choice.json'), '{}');
    expect(() => noiseChoice(folder)).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
  });

  it('stands in a bundle as a note, or the bundle is refused', () => {
    for (const privacy of ['', '{}', 'null', '{"mechanism":"x","clip":1,"noise":1,"epsilon":1}', 'x'.repeat(3000)]) {
      const bytes = encodeBundle({ ...bundle, privacy });
      expect(() => decodeBundle(bytes, 'b')).toThrow(expect.objectContaining({ code: 'F3_BUNDLE_FORMAT' }));
    }
  });
});
