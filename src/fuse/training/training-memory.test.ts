import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type FusionConfig, fusionPresets } from '../fusion-config.ts';
import { type TrainingSizes, trainingMemory } from './training-memory.ts';

const small = {
  owners: 5,
  samples: 1000,
  width: 16,
  classes: 2,
  largestBundle: 1e5,
  largestRows: 1e4,
  learningRates: 1,
} satisfies TrainingSizes;
const config = fusionPresets.recommended;
const GIB = 2 ** 30;

describe('the memory of a training', () => {
  it('grows with every size and with the model, whatever the method', () => {
    for (const method of ['consensus', 'transformer', 'concatenation', 'boosting'] as const) {
      const of = (sizes: Partial<TrainingSizes>, changes: Partial<FusionConfig> = {}) =>
        trainingMemory({ ...small, ...sizes }, { ...config, method, ...changes });
      for (const name of ['owners', 'samples', 'width', 'classes', 'largestBundle', 'largestRows'] as const) {
        expect(of({ [name]: 4 * small[name] }), `${method} ${name}`).toBeGreaterThan(of({}));
      }
      if (method === 'consensus' || method === 'concatenation') {
        expect(of({}, { hidden: 4096 }), method).toBeGreaterThan(of({}));
      }
    }
  });

  it('counts tables of codes by where they lead, and of both encodings the larger one', () => {
    const of = (changes: Partial<FusionConfig>) => trainingMemory({ ...small, width: 500 }, { ...config, ...changes });
    const tables = of({ encoding: 'quantiles', tables: 'common' });
    expect(tables).toBeGreaterThan(4 * small.owners * 500 * config.bins * 500);
    expect(tables).toBeGreaterThan(of({ encoding: 'quantiles', tables: 'hidden' }));
    expect(of({ encoding: 'auto' })).toBe(tables);
  });

  it('attack: 20,000 classes are estimated at more than a training may take', () => {
    expect(trainingMemory({ ...small, samples: 20_000, classes: 20_000 }, config)).toBeGreaterThan(4 * GIB);
  });

  it('is far below the limit for the largest data of the paper', () => {
    const metrLa = { owners: 207, samples: 34_249, width: 16, classes: 2, largestBundle: 4e6, learningRates: 2 };
    expect(trainingMemory(metrLa, config)).toBeLessThan(2 * GIB);
  });

  it.each([
    ['a graph between many owners', { owners: 100, samples: 3000, width: 8, classes: 2 }, {}],
    ['many classes', { owners: 3, samples: 3000, width: 8, classes: 800 }, {}],
    ['trees', { owners: 10, samples: 5000, width: 16, classes: 3 }, { method: 'boosting' }],
  ])('is at least what a process takes that trains: %s', (_, sizes, changes) => {
    const script = fileURLToPath(new URL('../../../test/support/train-alone.ts', import.meta.url));
    const sized = JSON.stringify({ ...sizes, changes: { epochs: 2, ...changes } });
    const { peak, estimate } = JSON.parse(execFileSync(process.execPath, [script, sized], { encoding: 'utf8' }));
    expect(estimate).toBeGreaterThan(peak);
    expect(estimate).toBeLessThan(4 * peak);
  });
});
