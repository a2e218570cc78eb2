// Fuse what owners sent as files: a folder of bundles, labels and a split, with progress and Ctrl-C; save, load and evaluate.
//   node fuse-files.ts [folder with bundles/, labels.csv, split.csv]     without a folder, files are made first
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuse, loadModel } from 'federated-feature-fusion';
import { writeBundle } from 'federated-feature-fusion/bundle';

const folder = process.argv[2] ?? makeFiles();
const data = { bundles: join(folder, 'bundles'), labels: join(folder, 'labels.csv'), split: join(folder, 'split.csv') };

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const model = await fuse({
  ...data,
  config: { epochs: 60 },
  checkpoint: { folder: join(folder, 'checkpoint'), resume: true }, // the same command goes on after Ctrl-C
  signal: stop.signal,
  onProgress: (progress) => {
    if (progress.stage === 'joined') console.error(`${progress.owners.length} owners, ${progress.samples} samples`);
  },
  onWarning: (message) => console.error(message),
});
await model.save(join(folder, 'model'), { overwrite: true });
await model.dispose();

const loaded = await loadModel(join(folder, 'model'));
const { test, calibration, absence } = await loaded.evaluate(data, { absence: { shares: [0, 0.5] } });
console.log(`F1 ${test.f1.toFixed(3)}, calibration error ${calibration.expectedError.toFixed(3)}`);
for (const { absent, f1 } of absence ?? []) console.log(`${absent * 100} % of owners absent: F1 ${f1.toFixed(3)}`);
await loaded.dispose();

/** Three owners that see the same tide, each in its own way. */
function makeFiles(): string {
  const place = mkdtempSync(join(tmpdir(), 'f3-files-'));
  mkdirSync(join(place, 'bundles'));
  const samples = Array.from({ length: 240 }, (_, i) => `day-${i}`);
  const high = samples.map((_, i) => Math.sin(i / 3) > 0.3);
  for (const [owner, turn] of [1, -1, 2].entries()) {
    const rows = samples.flatMap((_, i) => [turn * (high[i] ? 1 : 0) + Math.sin(5 * i + owner), Math.cos(11 * i)]);
    const bundle = { owner: `harbour-${owner}`, samples, sampleType: 'text' as const, width: 2 };
    writeBundle(join(place, 'bundles', `${bundle.owner}.arrow`), { ...bundle, embeddings: Float32Array.from(rows) });
  }
  const table = (name: string, cell: (i: number) => string) =>
    ['sample', ...samples].map((sample, i) => `${sample},${i === 0 ? name : cell(i - 1)}`).join('\n');
  writeFileSync(
    join(place, 'labels.csv'),
    table('label', (i) => (high[i] ? 'high' : 'low')),
  );
  writeFileSync(
    join(place, 'split.csv'),
    table('split', (i) => ['train', 'train', 'validation', 'test'][i % 4] as string),
  );
  return place;
}
