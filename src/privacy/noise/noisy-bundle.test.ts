import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { decodeBundle, encodeBundle } from '../../exchange/bundle/bundle.ts';
import { parsePrivacyNote } from '../../exchange/bundle/privacy-note.ts';
import { checkNoiseChoice, keepNoiseChoice, noiseChoice } from './noise-choice.ts';
import { costPerSample } from './noise-embeddings.ts';
import { noisyBundle, openBudget } from './noisy-bundle.ts';
import { epsilonOf } from './zcdp.ts';

const options = { clip: 2, noise: 2 };
const cost = costPerSample(options, 4);
const delta = 1e-5;
const once = epsilonOf(cost, delta);
const limit = { epsilon: 2 * once, delta };
const bundle = toyBundle(0, { samples: 20 });
const refused = expect.objectContaining({ code: 'F3_PRIVACY_BUDGET' });

describe('a bundle under noise', () => {
  it('says what was done to it, and leaves its votes at home', async () => {
    const narrow = { ...bundle, privacy: JSON.stringify({ bottleneck: 3 }) };
    const { bytes, spent, isRepeated } = await noisyBundle(narrow, options, limit, temporaryDirectory());
    const sent = decodeBundle(bytes, 'sent');
    expect(sent.probabilities).toBeUndefined();
    expect(sent.samples).toEqual(bundle.samples);
    expect(sent.embeddings).not.toEqual(bundle.embeddings);
    const note = parsePrivacyNote(sent.privacy ?? '');
    expect(note).toMatchObject({ mechanism: 'discrete Gaussian', ...options, delta, bottleneck: 3 });
    expect(note?.epsilon).toBeCloseTo(once, 4);
    expect(isRepeated).toBe(false);
    expect(spent).toEqual({ epsilon: expect.closeTo(once, 9), delta, samples: 20, releases: 1 });
  });

  it('has the same bytes when it is sent again, for nothing', async () => {
    const folder = temporaryDirectory();
    const first = await noisyBundle(bundle, options, limit, folder);
    const again = await noisyBundle({ ...bundle, created: '2026-05-01T12:00:00Z' }, options, limit, folder);
    expect(again.isRepeated).toBe(true);
    expect(again.bytes).toEqual(first.bytes);
    expect(again.spent).toEqual(first.spent);
  });

  it('costs again when another model made it, by sample, until the limit, and then nothing is drawn', async () => {
    const folder = temporaryDirectory();
    const model = (number: number) => ({ ...bundle, embeddings: bundle.embeddings.map((value) => value + number) });
    await noisyBundle(model(0), options, limit, folder);
    const half = { ...toyBundle(1, { samples: 40, saw: (_, sample) => sample >= 10 }) };
    const { spent } = await noisyBundle(half, options, limit, folder);
    expect(spent).toMatchObject({ samples: 40, releases: 2 });
    expect(spent.epsilon).toBeCloseTo(epsilonOf(2 * cost, delta), 9);
    const files = readdirSync(join(folder, 'privacy')).length;
    await expect(noisyBundle(model(1), options, { epsilon: 1.1 * once, delta }, folder)).rejects.toThrow(refused);
    expect(readdirSync(join(folder, 'privacy'))).toHaveLength(files);
    expect(openBudget(folder).spent(delta)).toEqual(spent);
  });

  it('costs again when the drawn noise was lost', async () => {
    const folder = temporaryDirectory();
    const first = await noisyBundle(bundle, options, limit, folder);
    for (const name of readdirSync(join(folder, 'privacy'))) {
      if (name.endsWith('.arrow')) rmSync(join(folder, 'privacy', name));
    }
    const second = await noisyBundle(bundle, options, limit, folder);
    expect(second.bytes).not.toEqual(first.bytes);
    expect(second.spent.epsilon).toBeCloseTo(epsilonOf(2 * cost, delta), 9);
  });
});

describe('the budget', () => {
  it('drops a line that a crash cut off, and sees what another process has spent', () => {
    const folder = temporaryDirectory();
    const [one, other] = [openBudget(folder), openBudget(folder)];
    one.spend({ key: 'a', cost, samples: ['s'] }, limit);
    appendFileSync(join(folder, 'privacy', 'spent.jsonl'), '{"key":"b","cost"');
    other.spend({ key: 'c', cost, samples: ['s'] }, { epsilon: 100, delta });
    expect(other.spent(delta)).toMatchObject({ samples: 1, releases: 2 });
    expect(openBudget(folder).spent(delta)).toEqual(other.spent(delta));
    expect(() => one.spend({ key: 'd', cost, samples: ['s'] }, { epsilon: 1.5 * once, delta })).toThrow(refused);
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
