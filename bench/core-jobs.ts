// Our side of the core bench: each job builds its data once and returns a function that runs it once.
import { Engine } from '../src/core/engine/engine.ts';
import { affine } from '../src/core/ops/affine.ts';
import { gatherRows } from '../src/core/ops/gather-rows.ts';
import { lstm } from '../src/core/ops/lstm.ts';
import { softmaxCrossEntropy } from '../src/core/ops/softmax-cross-entropy.ts';
import { weightedTimeSum } from '../src/core/ops/weighted-time-sum.ts';
import { recurrentUniform } from '../src/core/optimizer/initialise.ts';
import { Adam } from '../src/core/optimizer/optimizer.ts';
import { RandomStream } from '../src/core/random.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { GlobalModel } from '../src/fuse/model/global-model.ts';

export interface OurJob {
  run: () => void;
  engine: Engine;
}

const TRAINING_SAMPLES = 1999;
const BATCH = 100;

export interface StepOptions {
  config: Partial<FusionConfig>;
  /** Number of owners. Default: METR-LA's 207. */
  n?: number;
  threads?: number;
  /** Samples held in memory. Default: METR-LA's training part. */
  samples?: number;
  /** Steps per run. Default 1. */
  steps?: number;
}

/** A full training step at METR-LA size: gather, forward, loss, backward, Adam. */
export function trainingStep({ config, n = 207, threads, samples = TRAINING_SAMPLES, steps = 1 }: StepOptions): OurJob {
  const engine = new Engine({ threads });
  const random = new RandomStream(1, 0);
  const width = 16;
  const embeddings = engine.buffer([samples, n, width]);
  random.fillUniform(embeddings.data, -1, 1);
  const labels = Int32Array.from({ length: samples }, () => random.integer(2));
  const model = new GlobalModel(engine, { ...paperPreset, ...config }, { owners: n, width, classes: 2 });
  const optimizer = new Adam(engine, Object.values(model.parameters), { learningRate: 0.01 });
  const tape = engine.tape();
  let step = 0;
  const once = () => {
    const start = (step * BATCH) % Math.max(1, samples - BATCH + 1);
    const rows = Uint32Array.from({ length: BATCH }, (_, i) => start + i);
    tape.reset();
    const { logits } = model.forward(
      tape,
      { embeddings: gatherRows(tape, embeddings, rows) },
      { seed: 1, step: step++ },
    );
    tape.backward(softmaxCrossEntropy(tape, logits, labels.subarray(start, start + BATCH)));
    optimizer.step();
  };
  return {
    engine,
    run: () => {
      for (let i = 0; i < steps; i++) once();
    },
  };
}

/** One owner's pre-training epoch: 1999 windows of 12 readings, LSTM 16, learned sum over time, linear head. */
export function lstmEpoch(): OurJob {
  const [time, hidden, classes] = [12, 16, 2];
  const engine = new Engine({ threads: 1 });
  const random = new RandomStream(1, 0);
  const windows = engine.buffer([TRAINING_SAMPLES, time, 1]);
  random.fillUniform(windows.data, -1, 1);
  const labels = Int32Array.from({ length: TRAINING_SAMPLES }, () => random.integer(classes));
  const learn = (...shape: number[]) => engine.parameter(shape, recurrentUniform(random, shape, hidden));
  const recurrent = [learn(4 * hidden, 1), learn(4 * hidden, hidden), learn(4 * hidden), learn(4 * hidden)] as const;
  const [timeWeights, timeBias, head, headBias] = [learn(time), learn(1), learn(hidden, classes), learn(classes)];
  const parameters = [...recurrent, timeWeights, timeBias, head, headBias];
  const optimizer = new Adam(engine, parameters, { learningRate: 1e-3 });
  const tape = engine.tape();
  const run = () => {
    const order = random.permutation(TRAINING_SAMPLES);
    for (let start = 0; start < TRAINING_SAMPLES; start += BATCH) {
      const rows = order.subarray(start, start + BATCH);
      tape.reset();
      const states = lstm(tape, gatherRows(tape, windows, rows), ...recurrent);
      const embedding = weightedTimeSum(tape, states, timeWeights, timeBias);
      const logits = affine(tape, embedding, head, headBias);
      const batchLabels = Int32Array.from(rows, (row) => labels[row]);
      tape.backward(softmaxCrossEntropy(tape, logits, batchLabels));
      optimizer.step();
    }
  };
  return { engine, run };
}

/** 207×207 times 207×800 on one thread. */
export function matrixProduct(): OurJob {
  const [m, k, n] = [207, 207, 800];
  const engine = new Engine({ threads: 1 });
  const random = new RandomStream(1, 0);
  const [a, b, c] = [engine.buffer([m, k]), engine.buffer([k, n]), engine.buffer([m, n])];
  random.fillUniform(a.data, -1, 1);
  random.fillUniform(b.data, -1, 1);
  const { kernels } = engine;
  const run = () => kernels.gemmHere(m, n, k, a.address, k * 4, 4, b.address, 32, n * 4, c.address, n * 4, 0, 0);
  return { engine, run };
}

/** Floating-point operations per second of chained multiply-adds, best of several tries. */
export function multiplyAddPeak(engine: Engine): number {
  const iterations = 2_000_000;
  let best = 0;
  for (let i = 0; i < 12; i++) {
    const start = performance.now();
    engine.kernels.multiplyAddPeak(iterations, 0.5, 0.25);
    best = Math.max(best, (iterations * 96) / ((performance.now() - start) / 1000));
  }
  return best;
}
