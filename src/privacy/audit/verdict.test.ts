import { expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { auditEmbeddings } from './audit-embeddings.ts';
import { type OwnerAudit, UNKNOWN_OBJECTIVE } from './audit-owner.ts';
import { verdictOf } from './verdict.ts';

const [SAMPLES, LENGTH] = [400, 4];

/** Two answers that tell readings which are 10 apart, through noise that is smaller or larger on the samples of the test part. */
async function verdict(noiseOnTest: number, change: Partial<OwnerAudit> = {}): Promise<string> {
  const engine = new Engine({ threads: 1 });
  const random = new RandomStream(3, 0);
  const parts = Array.from({ length: SAMPLES }, (_, row) => (row % 4 === 0 ? ('test' as const) : ('train' as const)));
  const embeddings = Float64Array.from(parts, () => random.integer(2));
  const windows = Float64Array.from({ length: SAMPLES * LENGTH }, (_, at) => {
    const row = Math.floor(at / LENGTH);
    return 10 * embeddings[row] + (parts[row] === 'test' ? noiseOnTest : 10) * random.normal();
  });
  const samples = parts.map((_, row) => `s${row}`);
  const input = { owner: 'north', samples, embeddings, width: 1, windows, length: LENGTH, variates: ['speed'], parts };
  const audit = auditEmbeddings(engine, input);
  await engine.dispose();
  return verdictOf({
    ...audit,
    model: '',
    objective: UNKNOWN_OBJECTIVE,
    variates: ['speed'],
    seconds: 0,
    ...change,
  }).join('\n');
}

it('says so where held-out samples give away more than the bound over all samples', async () => {
  expect(await verdict(1)).toMatch(/Nobody .* more than about \d+ %.*\nThe 100 samples .* happen to give away more/);
  expect(await verdict(20)).not.toContain('happen to');
});

it('gives no bound from a linear approximation where an attack has recovered more', async () => {
  const bound = (recoverable: number) => ({ bound: { recoverable, directions: 1, spectrum: [1], windows: 16 } });
  expect(await verdict(10, bound(0.1))).toMatch(/By a linear approximation .* 10 % .* recovered \d+ %: .* is no bound/);
  expect(await verdict(10, bound(0.1))).not.toMatch(/Nobody can recover/);
  expect(await verdict(10, bound(0.9))).toContain('Nobody can recover more than about 90 %');
});

it('says what else is recovered where that is more than of the mean', async () => {
  const nothing = { share: 0, error: 0, guess: 0 };
  const most = { share: 0.9, error: 0.1, guess: 1 };
  const part = { share: 0.4, error: 0.8, guess: 1 };
  const recoveries = (mean: typeof most, last: typeof most, every: typeof most) => ({
    recoveries: [{ attacker: 'line' as const, known: 0.25, pairs: 5, mean, last, every }],
    worst: Math.max(mean.share, last.share, every.share),
  });
  const flat = await verdict(10, recoveries(nothing, most, most));
  expect(flat).toContain(
    "High: whoever holds these embeddings holds these readings.\nA window's mean is the same for all",
  );
  expect(flat).toContain('Of the single readings 90 % of the variance is recovered.');
  const last = await verdict(10, recoveries(part, most, part));
  expect(last).toContain('knows the readings of 25 % of the samples recovers 40 %');
  expect(last).toContain('Of the last reading 90 % of the variance is recovered.');
  expect(await verdict(10, recoveries(most, part, most))).not.toContain('Of the ');
});
