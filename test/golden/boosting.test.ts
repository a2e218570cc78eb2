// Boosted trees against scikit-learn's HistGradientBoostingClassifier on the same data (test/golden/make_boosting.py).
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import { softmaxRows } from '../../src/core/softmax-rows.ts';
import { BOOSTING_DEFAULTS, trainBoosting } from '../../src/fuse/boosting/train-boosting.ts';

interface BoostingCase {
  name: string;
  classes: number;
  features: number;
  options: { l2: number; leaves: number };
  values: (number | null)[];
  labels: number[];
  tested: (number | null)[];
  probabilities: Record<string, number[]>;
}

const cases = JSON.parse(readFileSync(new URL('./boosting.json', import.meta.url), 'utf8')) as BoostingCase[];
const floats = (values: (number | null)[]) => Float32Array.from(values, (value) => value ?? Number.NaN);

describe.each(cases)('scikit-learn, $name', ({ classes, features, options, values, labels, tested, probabilities }) => {
  const engine = new Engine({ threads: 2 });
  afterAll(() => engine.dispose());
  const train = { values: floats(values), labels: Int32Array.from(labels) };

  it.each(Object.keys(probabilities).map(Number))('gives the same probabilities after %i iterations', async (stage) => {
    const { trees } = await trainBoosting(
      engine,
      { features, classes, train },
      { ...BOOSTING_DEFAULTS, ...options, iterations: stage },
    );
    const got = softmaxRows(trees.logits(floats(tested)), classes);
    const off = got.map((probability, i) => Math.abs(probability - probabilities[stage][i]));
    expect(Math.max(...off)).toBeLessThan(1e-5);
  });
});
