// Measures, when one owner retrains its model, how close learning its alignment alone comes to fusing everything anew, and
// what both take.
//   npx node experiments/refit.ts --data DIR --bundles DIR --owner ID... [--owner-seed n] [--seed n] [--json]
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { integerFrom } from '../src/cli/option-values.ts';
import { runProgram } from '../src/cli/run-command.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { type Dataset, openDataset } from '../src/data/dataset/dataset.ts';
import { embedOwner } from '../src/embed/embed-owner.ts';
import { paperOwnerPreset } from '../src/embed/owner-preset.ts';
import { trainOwner } from '../src/embed/train-owner.ts';
import type { Bundle } from '../src/exchange/bundle/bundle.ts';
import { fuseOwners, scoresOf } from '../src/fuse/fuse-owners.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { type FusionInput, freeInput } from '../src/fuse/join/fusion-input.ts';
import { disposeFusedModel, type FusedModel } from '../src/fuse/model/fused-model.ts';
import type { Scores } from '../src/fuse/scores/scores.ts';
import { refitOwner } from '../src/fuse/training/refit-owner.ts';
import { withoutOwners } from '../src/infer/absent-owners.ts';
import { datasetInput } from '../src/reproduce/dataset-input.ts';

/** Scores on the test part, and what training took where there was any. */
interface MeasuredScores extends Scores {
  epochs?: number;
  seconds?: number;
  /** Processor time of all threads, which a busy machine changes less. */
  processorSeconds?: number;
}

export interface RefitResult {
  owner: string;
  /** Scores of the model with the bundles it was made of. */
  before: MeasuredScores;
  /** Scores of that model with the owner left out. */
  absent: MeasuredScores;
  /** Scores of that model with the owner's new bundle, nothing learned. */
  unfitted: MeasuredScores;
  /** Scores after only the owner's alignment was learned anew. */
  refit: MeasuredScores;
  /** Scores after everything was learned anew. */
  full: MeasuredScores;
}

interface RefitOptions {
  /** The owners that retrain, one at a time: all others stay as they were. */
  owners: readonly string[];
  /** Seed of the retraining. The bundles are of owners trained under the preset's seed, 0. */
  ownerSeed: number;
  config?: Partial<FusionConfig>;
  threads?: number | undefined;
  onStage?: (stage: string) => void;
}

/** `bundles` is the folder of what the owners of the data set in `dir` sent, trained with the paper's options. */
export async function* measureRefit(dir: string, bundles: string, options: RefitOptions): AsyncGenerator<RefitResult> {
  const { owners, ownerSeed, threads, onStage = () => undefined } = options;
  const config: FusionConfig = { ...paperPreset, ...options.config };
  const dataset = await openDataset(dir);
  for (const owner of owners) await dataset.owner(owner); // an unknown owner costs no waiting
  const engine = new Engine({ threads });
  try {
    const input = await datasetInput(engine, dataset, bundles);
    onStage('fusing all owners');
    const old = await fuseOwners(engine, input, config);
    for (const owner of owners) {
      onStage(`owner ${owner}: retraining`);
      const changed = await datasetInput(engine, dataset, bundles, {
        instead: await retrain(engine, dataset, owner, ownerSeed),
      });
      const absent = scoresWithout(engine, old, input, owner);
      const unfitted = scoresOf(engine, old, changed, 'test');
      onStage(`owner ${owner}: refit`);
      const refit = await measure(() => refitOwner(engine, old, owner, changed));
      onStage(`owner ${owner}: fusing all owners`);
      const full = await measure(() => fuseOwners(engine, changed, config));
      yield { owner, before: old.facts.test, absent, unfitted, refit, full };
      freeInput(engine, changed);
    }
  } finally {
    await engine.dispose();
  }
}

/** Trains the owner's model under another seed and gives its bundle. The data set stays as it is. */
async function retrain(engine: Engine, { dir }: Dataset, owner: string, seed: number): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'f3-refit-'));
  try {
    for (const file of ['windows.arrow', 'labels.arrow']) cpSync(join(dir, 'owners', owner, file), join(folder, file));
    await trainOwner(engine, folder, { ...paperOwnerPreset, seed });
    return { ...(await embedOwner(engine, folder)), sampleType: 'text' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function scoresWithout(engine: Engine, model: FusedModel, input: FusionInput, owner: string): Scores {
  const { joined } = input;
  const rows = Uint32Array.from(joined.samples.keys());
  const slot = joined.owners.findIndex((entry) => entry.owner === owner);
  const left = withoutOwners(engine, joined, rows, new Set([slot]));
  const scores = scoresOf(engine, model, { ...input, joined: left }, 'test');
  freeInput(engine, { joined: left });
  return scores;
}

async function measure(train: () => Promise<FusedModel>): Promise<MeasuredScores> {
  const before = process.cpuUsage();
  const model = await train();
  const { user, system } = process.cpuUsage(before);
  disposeFusedModel(model);
  const { test, epochs, seconds } = model.facts;
  return { ...test, epochs, seconds, processorSeconds: (user + system) / 1e6 };
}

const ROWS = [
  ['before', 'before'],
  ['absent', 'owner left out'],
  ['unfitted', 'new bundle, no refit'],
  ['refit', 'refit'],
  ['full', 'full refit'],
] as const;
const HEADER = ['owner', 'test part', 'F1', 'ROC AUC', 'loss', 'epochs', 'seconds', 'CPU s'];

function line([owner, what, ...numbers]: readonly string[]): string {
  return `${owner.padEnd(10)}${what.padEnd(22)}${numbers.map((number) => number.padStart(9)).join('')}`;
}

function lines(result: RefitResult): string {
  const rows = ROWS.map(([key, name]) => {
    const { f1, auc, loss, epochs, seconds, processorSeconds } = result[key];
    const took = [seconds, processorSeconds].map((value) => value?.toFixed(1) ?? '');
    return line([result.owner, name, f1.toFixed(3), auc.toFixed(3), loss.toFixed(3), String(epochs ?? ''), ...took]);
  });
  return rows.map((row) => row.trimEnd()).join('\n');
}

interface RefitCommandOptions {
  data: string;
  bundles: string;
  owner: string[];
  ownerSeed: number;
  seed: number;
  epochs: number;
  threads?: number;
  json?: boolean;
}

if (import.meta.main) {
  const program = new Command('refit')
    .description("retrain an owner's model, then compare learning its alignment alone with fusing everything anew")
    .requiredOption('--data <dir>', 'data set')
    .requiredOption('--bundles <dir>', 'what its owners sent, trained with f3 owner train --preset paper')
    .requiredOption('--owner <id...>', 'the owner that retrains; several retrain one at a time')
    .option('--owner-seed <n>', 'seed of the retraining', integerFrom(0), 1)
    .option('--seed <n>', 'seed of the fusion: weights, shuffles and graphs', integerFrom(0), paperPreset.seed)
    .option('--epochs <n>', 'most epochs of the fusion', integerFrom(1), paperPreset.epochs)
    .option('--threads <n>', 'threads to compute with (default: F3_THREADS, else all cores)', integerFrom(1, 256))
    .option('--json', 'print the result as one line of JSON')
    .action(async ({ data, bundles, owner, ownerSeed, seed, epochs, threads, json }: RefitCommandOptions) => {
      const onStage = (stage: string) => process.stderr.write(`${stage}\n`);
      const options = { owners: owner, ownerSeed, config: { seed, epochs }, threads, onStage };
      const results: RefitResult[] = [];
      if (!json) process.stdout.write(`${line(HEADER)}\n`);
      for await (const result of measureRefit(data, bundles, options)) {
        results.push(result);
        if (!json) process.stdout.write(`${lines(result)}\n`);
      }
      if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
    });
  process.exitCode = await runProgram(program, process.argv);
}
