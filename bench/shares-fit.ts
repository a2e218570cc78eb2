// A whole fit on shares from owners' bundles, beside the same fit in the clear: experiments/shares/config.json names the fits.
import { readFileSync } from 'node:fs';
import { Engine } from '../src/core/engine/engine.ts';
import { quantileEdges } from '../src/core/quantile-edges.ts';
import { softmaxRows } from '../src/core/softmax-rows.ts';
import { countBundles } from '../src/exchange/bundle/bundle-sources.ts';
import { readLabels } from '../src/exchange/labels/label-sources.ts';
import { readSplit } from '../src/exchange/labels/split-sources.ts';
import { addBundles } from '../src/facade/read-bundles.ts';
import { type FusionConfig, resolveFusionConfig } from '../src/fuse/fusion-config.ts';
import { InputAssembly } from '../src/fuse/join/fusion-input.ts';
import { makeFusionModel } from '../src/fuse/model/make-fusion-model.ts';
import { predictLogits } from '../src/fuse/model/predict-logits.ts';
import { sampledGraphs } from '../src/fuse/on-shares/edge-learner.ts';
import { predictFromShares } from '../src/fuse/on-shares/predict-on-shares.ts';
import { trainOnShares } from '../src/fuse/on-shares/train-on-shares.ts';
import { scores } from '../src/fuse/scores/scores.ts';
import { trainFusion } from '../src/fuse/training/train-fusion.ts';
import { codedBundle, quantileCodingOf } from '../src/shares/owner/quantile-codes.ts';
import type { Row } from './measure.ts';
import { startShares } from './shares-scene.ts';

/** What a fit is asked with. */
export interface FitArguments {
  /** A fit of experiments/shares/config.json. */
  fit?: string | undefined;
  bundles?: string | undefined;
  labels?: string | undefined;
  split?: string | undefined;
}

interface FitPlan {
  base: Partial<FusionConfig>;
  fits: Record<string, { aim: string; config: Partial<FusionConfig> }>;
}

const folder = new URL('../experiments/shares/', import.meta.url);
const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Content;

export async function fitOnShares(args: FitArguments, say: (text: string) => void): Promise<Row[]> {
  const { fit = 'metr-la', bundles, labels: labelFile, split: splitFile } = args;
  const { base, fits } = readJson<FitPlan>('config.json');
  if (!fits[fit]) throw new Error(`--fit: must be ${Object.keys(fits).join(', ')}, got ${fit}`);
  if (!bundles || !labelFile || !splitFile) {
    say('  skipped: needs --bundles DIR --labels FILE --split FILE (experiments/shares/README.md)');
    return [];
  }
  const config = resolveFusionConfig({ preset: 'paper', ...base, ...fits[fit].config });
  const input = await readInput(bundles, labelFile, splitFile);
  const clear = await fitInTheClear(config, input);
  say(
    `  in the clear: F1 ${clear.f1.toFixed(3)}, AUC ${clear.auc.toFixed(3)}, best of ${clear.epochs} epochs: ${clear.bestEpoch}`,
  );
  const start = performance.now();
  const isCoded = config.encoding === 'quantiles';
  const shared = isCoded ? ownersCodes(input, config.bins) : input.values;
  const { owners, width, classes, split, labels, present } = input;
  const { engine, link, end } = startShares(shared, owners, isCoded ? width * config.bins : width);
  const model = await trainOnShares(
    engine,
    link,
    config,
    { owners, width, classes },
    { labels, split, present },
    {
      onEpoch: ({ epoch, trainLoss, validationLoss }) => {
        const minutes = ((performance.now() - start) / 60_000).toFixed(1);
        say(`  epoch ${epoch}: train ${trainLoss.toFixed(4)}, validation ${validationLoss.toFixed(4)}, ${minutes} min`);
      },
    },
  );
  const graphs = model.theta
    ? sampledGraphs(engine, config, owners, model.theta, config.predictionGraphs)
    : ([] as Float32Array[]);
  const logits = await predictFromShares(link, { shape: model.shape, graphs, rows: split.test, present });
  const oursMs = performance.now() - start;
  const { f1, auc } = testScores(logits, input);
  const reports = await end();
  const steps = model.epochs * Math.ceil(split.train.length / config.batch);
  const figures = {
    f1,
    auc,
    'F1 in the clear': clear.f1,
    'AUC in the clear': clear.auc,
    epochs: model.epochs,
    'best epoch': model.bestEpoch,
    'cpu s of all entities': reports.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000,
    'MB per step and link': (new Map(reports[0].sent).get(2) ?? 0) / steps / 1e6,
  };
  const expected = readJson<Record<string, Record<string, number>>>('expected.json')[fit];
  if (expected)
    say(
      `  on record: ${Object.entries(expected)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
    );
  return [{ job: `fit on shares: ${fit}`, oursMs, peers: {}, aim: fits[fit].aim, figures }];
}

interface FitInput {
  /** [sample, owner, d] */
  values: Float32Array;
  owners: number;
  width: number;
  classes: number;
  labels: Int32Array;
  split: { train: Uint32Array; validation: Uint32Array; test: Uint32Array };
  /** [sample, owner]; without it every owner saw every sample */
  present?: Float32Array | undefined;
}

async function readInput(bundles: string, labelFile: string, splitFile: string): Promise<FitInput> {
  const reader = new Engine({ threads: 1 });
  const labels = await readLabels(labelFile);
  const ids = await readSplit(splitFile, labels.samples);
  const assembly = new InputAssembly(reader, { labels, split: ids, expected: countBundles([bundles]) });
  await addBundles([bundles], assembly, {});
  const { joined, split } = assembly.finish();
  const input = {
    values: joined.embeddings.data.slice(),
    owners: joined.owners.length,
    width: joined.width,
    classes: labels.classes.length,
    labels: labels.labels,
    split,
    present: joined.isComplete ? undefined : joined.present.data.slice(),
  };
  await reader.dispose();
  return input;
}

async function fitInTheClear(config: FusionConfig, input: FitInput) {
  const { values, owners, width, classes, labels, split, present } = input;
  const engine = new Engine({ threads: 1 });
  const samples = labels.length;
  const source = { embeddings: values, owners, width, present };
  const codes = config.encoding === 'quantiles' && { binEdges: quantileEdges(source, split.train, config.bins) };
  const model = makeFusionModel(engine, config, { owners, width, classes, ...codes });
  const seen = present ? { present: engine.buffer([samples, owners], present) } : {};
  const data = { embeddings: engine.buffer([samples, owners, width], values), labels, split, ...seen };
  const { epochs, bestEpoch } = await trainFusion(engine, model, data);
  const found = testScores(predictLogits(engine, model, data, split.test), input);
  await engine.dispose();
  return { ...found, epochs, bestEpoch };
}

function testScores(logits: Float32Array, { labels, split, classes }: FitInput): { f1: number; auc: number } {
  const truth = Int32Array.from(split.test, (row) => labels[row]);
  return scores(softmaxRows(logits, classes), truth, classes);
}

/** What the owners share: each codes its own numbers by the quantiles of its own training samples. */
function ownersCodes({ values, owners, width, labels, split, present }: FitInput, bins: number): Float32Array {
  const samples = Array.from(labels, (_, row) => String(row));
  const codes = new Float32Array(values.length * bins);
  for (let owner = 0; owner < owners; owner++) {
    const own = new Float32Array(samples.length * width);
    for (let row = 0; row < samples.length; row++) {
      const at = (row * owners + owner) * width;
      own.set(values.subarray(at, at + width), row * width);
    }
    const bundle = { owner: `owner ${owner}`, samples, width, embeddings: own };
    const training = split.train.filter((row) => present?.[row * owners + owner] !== 0);
    const coded = codedBundle(bundle, quantileCodingOf(bundle, Array.from(training, String), bins));
    for (let row = 0; row < samples.length; row++) {
      codes.set(
        coded.embeddings.subarray(row * coded.width, (row + 1) * coded.width),
        (row * owners + owner) * coded.width,
      );
    }
  }
  return codes;
}
