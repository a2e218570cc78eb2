// What embeddings give away: how well a straight line through them recovers an owner's readings.
//   npx node experiments/embedding-probe.ts --data DIR --bundles DIR [--json]
// The attacker knows the embeddings of all samples and the readings of the training part, and fits a ridge regression.
import { join } from 'node:path';
import { Command } from 'commander';
import { printResult, runProgram } from '../src/cli/run-command.ts';
import { openDataset } from '../src/data/dataset/dataset.ts';
import { readOwnerFolder } from '../src/data/dataset/owner-folder.ts';
import { decodeBundle } from '../src/exchange/bundle/bundle.ts';
import { readBundleFile } from '../src/exchange/bundle/bundle-file.ts';

interface Probe {
  owner: string;
  /** Share of the variance of the window's mean that is recovered, on the test part. */
  mean: number;
  /** The same for the last reading of the window. */
  last: number;
  /** The same for single readings, averaged over the window. */
  readings: number;
  /** Typical error of the window's mean, in the readings' unit. */
  meanError: number;
}

/** Weight of ‖w‖² for each sample. */
const RIDGE = 1e-3;

/** Probes every owner of the data set in `dir`, whose bundles lie in `bundles`. */
export async function embeddingProbe(dir: string, bundles: string): Promise<Probe[]> {
  const { owners, split } = await openDataset(dir);
  const probes: Probe[] = [];
  for (const id of owners) {
    const { samples, windows } = await readOwnerFolder(join(dir, 'owners', id));
    const {
      embeddings,
      width,
      samples: embedded,
    } = decodeBundle(await readBundleFile(join(bundles, `${id}.arrow`)), id);
    const size = windows.length / samples.length;
    const rowOf = new Map(samples.map((sample, row) => [sample, row]));
    const features = new Map(
      embedded.map((sample, row) => [sample, [1, ...embeddings.subarray(row * width, (row + 1) * width)]]),
    );
    const part = (ids: readonly string[]) => ids.filter((sample) => features.has(sample) && rowOf.has(sample));
    const readings = (sample: string) => {
      const row = rowOf.get(sample) ?? 0;
      return Array.from(windows.subarray(row * size, (row + 1) * size));
    };
    const [train, test] = [part(split.train), part(split.test)];
    const probe = (target: (window: number[]) => number) => {
      const pairs = (ids: string[]) => ids.map((id) => ({ x: features.get(id) ?? [], y: target(readings(id)) }));
      return recovered(ridge(pairs(train)), pairs(test));
    };
    const mean = probe((window) => window.reduce((sum, value) => sum + value, 0) / size);
    const each = Array.from({ length: size }, (_, at) => probe((window) => window[at]).share);
    const average = each.reduce((sum, share) => sum + share, 0) / size;
    probes.push({ owner: id, mean: mean.share, last: each[size - 1], readings: average, meanError: mean.error });
  }
  return probes;
}

interface Pair {
  x: number[];
  y: number;
}

/** The weights w that minimise Σ (wᵀx − y)² + RIDGE·n·‖w‖², by elimination. */
function ridge(pairs: readonly Pair[]): number[] {
  const d = pairs[0].x.length;
  const rows = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d + 1 }, (_, j) => (i === j ? RIDGE * pairs.length : 0)),
  );
  for (const { x, y } of pairs) {
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) rows[i][j] += x[i] * x[j];
      rows[i][d] += x[i] * y;
    }
  }
  for (let i = 0; i < d; i++) {
    for (let k = 0; k < d; k++) {
      if (k === i) continue;
      const factor = rows[k][i] / rows[i][i];
      for (let j = i; j <= d; j++) rows[k][j] -= factor * rows[i][j];
    }
  }
  return rows.map((row, i) => row[d] / row[i]);
}

/** The share of the variance of y that the weights recover, and their typical error. */
function recovered(weights: readonly number[], pairs: readonly Pair[]): { share: number; error: number } {
  const centre = pairs.reduce((sum, { y }) => sum + y, 0) / pairs.length;
  let [left, all] = [0, 0];
  for (const { x, y } of pairs) {
    left += (x.reduce((sum, value, i) => sum + value * weights[i], 0) - y) ** 2;
    all += (y - centre) ** 2;
  }
  return { share: all === 0 ? 0 : 1 - left / all, error: Math.sqrt(left / pairs.length) };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

interface EmbeddingProbeOptions {
  data: string;
  bundles: string;
  json?: boolean;
}

if (import.meta.main) {
  const program = new Command('embedding-probe')
    .description("how well a straight line through an owner's embeddings recovers its readings")
    .requiredOption('--data <dir>', 'data set')
    .requiredOption('--bundles <dir>', 'what its owners sent')
    .option('--json', 'print the result as one line of JSON')
    .action(async ({ data, bundles, json }: EmbeddingProbeOptions) => {
      const probes = await embeddingProbe(data, bundles);
      const of = (key: 'mean' | 'last' | 'readings' | 'meanError') =>
        median(probes.map((probe) => probe[key])).toFixed(3);
      const text = `${probes.length} owners, median share of variance recovered on the test part:
window mean ${of('mean')} (error ${of('meanError')}), last reading ${of('last')}, single readings ${of('readings')}`;
      printResult(probes, text, json);
    });
  process.exitCode = await runProgram(program, process.argv);
}
