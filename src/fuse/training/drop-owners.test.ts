import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { type FusionConfig, paperPreset } from '../fusion-config.ts';
import { makeFusionModel } from '../model/make-fusion-model.ts';
import { dropOwners } from './drop-owners.ts';

const [SAMPLES, OWNERS, WIDTH, CLASSES] = [4, 30, 6, 3];
const SHARE = 0.5;

describe('owner dropout', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const shape = { owners: OWNERS, width: WIDTH, classes: CLASSES };
  const draw = { seed: 1, step: 0, stream: 0 };

  const values = new Float32Array(SAMPLES * OWNERS * WIDTH);
  new RandomStream(5, 0).fillUniform(values, -1, 1);

  /** Logits of the whole batch, and their mean over many draws of who is left. */
  function compare(config: Partial<FusionConfig>, draws: number): { whole: Float32Array; mean: Float64Array } {
    const model = makeFusionModel(engine, { ...paperPreset, ...config }, shape);
    const tape = engine.inferenceTape();
    const mean = new Float64Array(SAMPLES * CLASSES);
    for (let stream = 0; stream < draws; stream++) {
      tape.reset();
      const batch = { embeddings: tape.constant([SAMPLES, OWNERS, WIDTH], values) };
      const { logits } = model.forward(tape, dropOwners(tape, batch, SHARE, 2, stream), draw);
      logits.data.forEach((value, i) => {
        mean[i] += value / draws;
      });
    }
    tape.reset();
    const embeddings = tape.constant([SAMPLES, OWNERS, WIDTH], values);
    const whole = model.forward(tape, { embeddings }, draw).logits.data.slice();
    tape.dispose();
    model.dispose();
    return { whole, mean };
  }

  it('leaves mean pooling as large as with everybody there, on average', () => {
    const { whole, mean } = compare({ alignment: 'none', graph: 'none' }, 4000);
    whole.forEach((value, i) => {
      expect(mean[i]).toBeCloseTo(value, 1);
    });
    // The same logits without what undoes it would be half as large.
    expect(Math.max(...whole.map(Math.abs))).toBeGreaterThan(0.3);
  });

  it.each([
    ['F³', {}],
    ['the set transformer', { method: 'transformer' }],
    ['concatenation', { method: 'concatenation' }],
  ] as const)('does not make %s smaller than it is with everybody there', (_, config) => {
    const { whole, mean } = compare(config, 300);
    const size = (logits: ArrayLike<number>) => Math.hypot(...Array.from(logits));
    const ratio = size(mean) / size(whole);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.25);
  });

  it('leaves out about the share it is told, and nobody who was absent comes back', () => {
    const tape = engine.inferenceTape();
    const present = new Float32Array(SAMPLES * OWNERS).fill(1).map((_, at) => (at % OWNERS === 0 ? 0 : 1));
    const batch = {
      embeddings: tape.constant([SAMPLES, OWNERS, WIDTH], values),
      present: tape.constant([SAMPLES, OWNERS], present),
    };
    const dropped = dropOwners(tape, batch, SHARE, 3, 0);
    const left = dropped.present?.data ?? new Float32Array();
    const count = left.reduce((sum, value) => sum + value, 0);
    expect(Math.abs(count / (SAMPLES * (OWNERS - 1)) - (1 - SHARE))).toBeLessThan(0.15);
    for (let sample = 0; sample < SAMPLES; sample++) expect(left[sample * OWNERS]).toBe(0);
    tape.dispose();
  });
});
