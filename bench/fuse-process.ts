// Runs one fit, refit or prediction from files; prints times since the process began, scores and memory as JSON.
//   node bench/fuse-process.ts '{"task": "fit" | "refit" | "predict", …}'

import { peakMemory } from '../src/base/peak-memory.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { countBundles } from '../src/exchange/bundle/bundle-sources.ts';
import { readLabels } from '../src/exchange/labels/label-sources.ts';
import { readSplit } from '../src/exchange/labels/split-sources.ts';
import { addBundles } from '../src/facade/read-bundles.ts';
import { fuseOwners, scoresOf } from '../src/fuse/fuse-owners.ts';
import { paperPreset } from '../src/fuse/fusion-config.ts';
import { BundleJoin } from '../src/fuse/join/bundle-join.ts';
import { type FusionInput, InputAssembly } from '../src/fuse/join/fusion-input.ts';
import type { FusedModel } from '../src/fuse/model/fused-model.ts';
import { loadFusedModel, saveFusedModel } from '../src/fuse/model/model-folder.ts';
import type { PredictionGraphs } from '../src/fuse/model/predict-logits.ts';
import { refitOwner } from '../src/fuse/training/refit-owner.ts';
import { predictAll, predictionsToArrow } from '../src/infer/predictions.ts';

/** The files of a fit. */
export interface FitFiles {
  bundles: string[];
  labels: string;
  split: string;
}

export type FuseTask =
  | ({ task: 'fit'; out: string } & FitFiles)
  | ({ task: 'refit'; model: string; owner: string } & FitFiles)
  | { task: 'predict'; model: string; bundles: string[]; graphs: PredictionGraphs };

const engine = new Engine();

async function read(
  { bundles, labels: labelFile, split }: FitFiles,
  owners?: { owner: string }[],
): Promise<FusionInput> {
  const labels = await readLabels(labelFile);
  const ids = await readSplit(split, labels.samples);
  const assembly = new InputAssembly(engine, { labels, split: ids, owners, expected: countBundles(bundles) });
  await addBundles(bundles, assembly, {});
  return assembly.finish();
}

async function fitFiles({ out, ...files }: FuseTask & { task: 'fit' }): Promise<object> {
  const input = await read(files);
  const readMs = performance.now();
  const model = await fuseOwners(engine, input, paperPreset);
  saveFusedModel(out, model);
  return { ...summary(model), readMs, ms: performance.now() };
}

/** Refits a model whose owner `owner` has sent another bundle since. */
async function refitFiles({ model, owner, ...files }: FuseTask & { task: 'refit' }): Promise<object> {
  const old = await loadFusedModel(engine, model);
  const owners = old.facts.owners.map(({ owner: id }) => ({ owner: id }));
  const input = await read(files, owners);
  const stale = scoresOf(engine, old, input, 'test');
  const alone = await refitOwner(engine, old, owner, input);
  const full = await fuseOwners(engine, input, old.facts.config);
  return { stale: { f1: stale.f1, auc: stale.auc }, alone: summary(alone), full: summary(full) };
}

async function predictFiles({ model, bundles, graphs }: FuseTask & { task: 'predict' }): Promise<object> {
  const fused = await loadFusedModel(engine, model);
  const owners = fused.facts.owners.map(({ owner, width }) => ({ owner, width }));
  const join = new BundleJoin(engine, { owners });
  await addBundles(bundles, join, {});
  const joined = join.finish();
  const readMs = performance.now();
  const { length } = predictionsToArrow(predictAll(engine, fused, joined, graphs));
  return { samples: joined.samples.length, bytes: length, readMs, ms: performance.now() };
}

function summary({ facts: { epochs, bestEpoch, seconds, test } }: FusedModel) {
  return { epochs, bestEpoch, seconds, f1: test.f1, auc: test.auc };
}

const task = JSON.parse(process.argv[2]) as FuseTask;
const figures = await (task.task === 'fit'
  ? fitFiles(task)
  : task.task === 'refit'
    ? refitFiles(task)
    : predictFiles(task));
await engine.dispose();
// Times are in microseconds.
const { userCPUTime, systemCPUTime } = process.resourceUsage();
const used = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: peakMemory() / 2 ** 20 };
process.stdout.write(`${JSON.stringify({ ...figures, ...used })}\n`);
