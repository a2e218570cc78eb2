// Fits a row of Table 3 twice on the same embeddings: with f3 and with a plain PyTorch program of the same recipe.
//   npx node experiments/torch-table-3.ts --data DIR --bundles DIR --alignment none|soft --graph none|given|knn|icdf [--seed n]
// It needs python3 with torch and scikit-learn (PYTHON names another interpreter). Weights start from other random numbers,
// so the two agree as two seeds do.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { integerFrom } from '../src/cli/option-values.ts';
import { runProgram } from '../src/cli/run-command.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { openDataset } from '../src/data/dataset/dataset.ts';
import { F3Error } from '../src/errors.ts';
import { listBundles, readBundles } from '../src/exchange/bundle/bundle-folder.ts';
import { PARTS } from '../src/exchange/labels/sample-parts.ts';
import { fuseOwners } from '../src/fuse/fuse-owners.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { BundleJoin } from '../src/fuse/join/bundle-join.ts';
import type { FusionInput } from '../src/fuse/join/fusion-input.ts';
import { placeSplit } from '../src/fuse/join/place-split.ts';

interface Options {
  data: string;
  bundles: string;
  alignment: 'none' | 'soft';
  graph: 'none' | 'given' | 'knn' | 'icdf';
  seed: number;
  threads: number;
}

const program = new Command('torch-table-3')
  .description('a row of Table 3 by f3 and by PyTorch, on the same embeddings of two classes')
  .requiredOption('--data <dir>', 'data set')
  .requiredOption('--bundles <dir>', 'bundles of its owners, trained with f3 owner train --preset paper')
  .addOption(new Option('--alignment <how>').choices(['none', 'soft']).default('none'))
  .addOption(new Option('--graph <how>').choices(['none', 'given', 'knn', 'icdf']).default('none'))
  .option('--seed <n>', 'seed of both programs', integerFrom(0), 1)
  .option('--threads <n>', 'threads of both programs', integerFrom(1, 256), 1)
  .action(run);

async function run({ data, bundles, alignment, graph, seed, threads }: Options): Promise<void> {
  const engine = new Engine({ threads });
  const folder = mkdtempSync(join(tmpdir(), 'f3-torch-'));
  try {
    const input = await readInput(engine, data, bundles);
    if (graph === 'given' && !input.adjacency) {
      throw new F3Error('F3_FUSE_GRAPH', `data set ${data}: --graph given needs a graph, got none`);
    }
    // One graph per batch, as in the PyTorch program, where a graph per example takes ten times as long.
    const config: FusionConfig = { ...paperPreset, alignment, graph, graphsPer: 'batch', seed };
    const { facts } = await fuseOwners(engine, input, config);
    print('f3', { ...facts, ...facts.test });
    writeInput(folder, input, threads);
    const script = join(import.meta.dirname, 'torch_table_3.py');
    const args = [script, folder, alignment, graph, String(seed)];
    print('PyTorch', JSON.parse(execFileSync(process.env.PYTHON ?? 'python3', args, { encoding: 'utf8' })));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await engine.dispose();
  }
}

async function readInput(engine: Engine, data: string, bundles: string): Promise<FusionInput> {
  const { samples, labels, classes, split, graph, owners } = await openDataset(data);
  const join = new BundleJoin(engine, { samples, owners: owners.map((owner) => ({ owner })) });
  for await (const { bundle, hash } of readBundles(listBundles([bundles]))) join.add(bundle, hash);
  const joined = join.finish();
  const labelled = { samples, labels, classes };
  const { rows } = placeSplit(split, joined, labelled);
  return { joined, labels: labelled, split: rows, ...(graph && { adjacency: graph }) };
}

/** Writes raw numbers, which numpy reads as they are. */
function writeInput(folder: string, { joined, labels, split, adjacency }: FusionInput, threads: number): void {
  const write = (name: string, values: Float32Array | Int32Array | Uint32Array) =>
    writeFileSync(join(folder, name), new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  write('embeddings.f32', joined.embeddings.data.slice());
  write('labels.i32', Int32Array.from(labels.labels));
  for (const part of PARTS) write(`${part}.u32`, split[part]);
  if (adjacency) write('graph.f32', Float32Array.from(adjacency));
  const facts = { shape: joined.embeddings.shape, classes: labels.classes.length, threads };
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts));
}

function print(who: string, { f1, auc, epochs, bestEpoch }: Record<'f1' | 'auc' | 'epochs' | 'bestEpoch', number>) {
  process.stdout.write(
    `${who.padEnd(8)} F1 ${f1.toFixed(3)}, ROC AUC ${auc.toFixed(3)}, best of ${epochs} epochs: ${bestEpoch}\n`,
  );
}

if (import.meta.main) process.exitCode = await runProgram(program, process.argv);
