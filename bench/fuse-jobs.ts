// Our side of the fusion bench at METR-LA size: random embeddings, epochs of row K, bundles to predict from.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../src/core/engine/engine.ts';
import { RandomStream } from '../src/core/random.ts';
import { softmaxRows } from '../src/core/softmax-rows.ts';
import { writeBundle } from '../src/exchange/bundle/bundle-file.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import type { JoinedOwner } from '../src/fuse/join/bundle-join.ts';
import { GlobalModel } from '../src/fuse/model/global-model.ts';
import { saveFusedModel } from '../src/fuse/model/model-folder.ts';
import { type PredictionGraphs, predictLogits } from '../src/fuse/model/predict-logits.ts';
import { trainFusion } from '../src/fuse/training/train-fusion.ts';

const [OWNERS, WIDTH, CLASSES] = [207, 16, 2];
const [TRAINING, VALIDATION] = [1999, 285];
const SHAPE = { owners: OWNERS, width: WIDTH, classes: CLASSES };
/** Samples to predict. */
export const PREDICTED = 10_000;

/** Milliseconds of each epoch, on the clock and summed over all cores. */
export interface EpochTimes {
  ms: number[];
  cpuMs: number[];
}

/** A training on random numbers. `run` times some epochs with their validation. */
export function fusionEpochs(graphsPer: FusionConfig['graphsPer']): {
  engine: Engine;
  run: (epochs: number) => Promise<EpochTimes>;
} {
  const engine = new Engine();
  const random = new RandomStream(1, 0);
  const samples = TRAINING + VALIDATION;
  const embeddings = engine.buffer([samples, OWNERS, WIDTH]);
  random.fillUniform(embeddings.data, -1, 1);
  const labels = Int32Array.from({ length: samples }, () => random.integer(CLASSES));
  const rows = Uint32Array.from({ length: samples }, (_, row) => row);
  const split = { train: rows.subarray(0, TRAINING), validation: rows.subarray(TRAINING), test: rows.subarray(0, 0) };
  const run = async (epochs: number) => {
    const config = { ...paperPreset, graph: 'icdf', graphsPer, epochs } as const;
    const model = new GlobalModel(engine, config, SHAPE);
    const ends = [performance.now()];
    const cpu = [cpuTime()];
    const onEpoch = () => {
      ends.push(performance.now());
      cpu.push(cpuTime());
    };
    await trainFusion(engine, model, { embeddings, labels, split }, { onEpoch });
    model.dispose();
    const steps = (times: number[]) => times.slice(1).map((time, i) => time - times[i]);
    return { ms: steps(ends), cpuMs: steps(cpu) };
  };
  return { engine, run };
}

/** Predicts all samples from memory. */
export function predictionFromMemory(graphs: PredictionGraphs): { engine: Engine; run: () => void } {
  const engine = new Engine();
  const embeddings = engine.buffer([PREDICTED, OWNERS, WIDTH]);
  new RandomStream(1, 0).fillUniform(embeddings.data, -1, 1);
  const model = new GlobalModel(engine, paperPreset, SHAPE);
  const rows = Uint32Array.from({ length: PREDICTED }, (_, row) => row);
  return { engine, run: () => softmaxRows(predictLogits(engine, model, { embeddings }, rows, graphs), CLASSES) };
}

/** Writes random bundles of all owners, with class probabilities, as owners send them. */
export function writeRandomBundles(dir: string): void {
  mkdirSync(dir);
  const random = new RandomStream(2, 0);
  const samples = Array.from({ length: PREDICTED }, (_, i) => new Date(i * 3_600_000).toISOString().slice(0, 16));
  for (const owner of ownerIds()) {
    const embeddings = new Float32Array(PREDICTED * WIDTH);
    random.fillUniform(embeddings, -1, 1);
    const probabilities = new Float32Array(PREDICTED * CLASSES).fill(1 / CLASSES);
    const bundle = { owner, samples, sampleType: 'text', width: WIDTH, embeddings } as const;
    writeBundle(join(dir, `${owner}.arrow`), { ...bundle, samples, classes: CLASSES, probabilities });
  }
}

/** Writes a model of row K with its first weights. Prediction takes as long as with trained ones. */
export async function writeUntrainedModel(dir: string): Promise<void> {
  const engine = new Engine({ threads: 1 });
  const none = { accuracy: 0, f1: 0, auc: 0, prAuc: 0, loss: 0 };
  const owners = ownerIds().map((owner): JoinedOwner => ({ owner, width: WIDTH, bundle: '', rows: 0, joined: 0 }));
  const facts = {
    config: paperPreset,
    classes: ['0', '1'],
    owners,
    samples: { train: 0, validation: 0, test: 0 },
    epochs: 0,
    bestEpoch: 0,
    seconds: 0,
    history: [],
    validation: none,
    test: none,
  };
  saveFusedModel(dir, { kind: 'learned', facts, network: new GlobalModel(engine, paperPreset, SHAPE) });
  await engine.dispose();
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const ownerIds = (): string[] => Array.from({ length: OWNERS }, (_, i) => `owner-${String(i).padStart(3, '0')}`);
