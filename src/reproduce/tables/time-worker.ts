// [coordinator] A process of its own that trains a few epochs and prints its time and peak memory as JSON.
import { peakMemory } from '../../base/peak-memory.ts';
import { Engine } from '../../core/engine/engine.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { RandomStream } from '../../core/random.ts';
import { listBundles, readBundles } from '../../exchange/bundle/bundle-folder.ts';
import { type FusionConfig, paperPreset } from '../../fuse/fusion-config.ts';
import { BundleJoin } from '../../fuse/join/bundle-join.ts';
import { makeFusionModel } from '../../fuse/model/make-fusion-model.ts';
import { trainFusion } from '../../fuse/training/train-fusion.ts';

export interface TimeRequest {
  graph: 'icdf' | 'gumbel';
  graphsPer: FusionConfig['graphsPer'];
  epochs: number;
  batch: number;
  seed: number;
  threads: number | undefined;
  classes: number;
  /** Sizes of random embeddings, `missing` being the share of owner–sample pairs without one; or a folder of bundles. */
  data: { owners: number; samples: number; width: number; missing: number } | { bundles: string };
}

export interface TimeReply {
  owners: number;
  samples: number;
  width: number;
  /** Seconds of all epochs, validation included. */
  seconds: number;
  /** Seconds of the training steps alone. */
  stepSeconds: number;
  steps: number;
  /** Peak memory of the process. */
  peakMb: number;
  /** Memory that the numerical core has reserved for data, parameters and a step's results. */
  coreMb: number;
}

const DATA_STREAM = 1;
const SPLIT_STREAM = 2;

const request = JSON.parse(process.argv[2]) as TimeRequest;
const engine = new Engine({ threads: request.threads });
const reply = await timeTraining(request);
await engine.dispose();
process.stdout.write(`${JSON.stringify(reply)}\n`);

async function timeTraining({ data: source, classes, threads: _, ...changes }: TimeRequest): Promise<TimeReply> {
  const data = 'bundles' in source ? await joinBundles(source.bundles) : randomEmbeddings(source, changes.seed);
  const [samples, owners, width] = data.embeddings.shape;
  const config = { ...paperPreset, ...changes, patience: changes.epochs };
  const model = makeFusionModel(engine, config, { owners, width, classes });
  const random = new RandomStream(changes.seed, SPLIT_STREAM);
  const order = random.permutation(samples);
  const [train, validation] = [Math.floor(0.7 * samples), Math.floor(0.8 * samples)];
  const split = {
    train: order.subarray(0, train),
    validation: order.subarray(train, validation),
    test: order.subarray(validation),
  };
  // What is predicted does not matter to time or memory.
  const labels = Int32Array.from({ length: samples }, () => random.integer(classes));
  const start = performance.now();
  let [steps, stepMs, from, to] = [0, 0, start, start];
  await trainFusion(
    engine,
    model,
    { ...data, labels, split },
    {
      onStep: () => {
        to = performance.now();
        steps++;
      },
      onEpoch: () => {
        stepMs += to - from;
        from = performance.now();
      },
    },
  );
  const seconds = (performance.now() - start) / 1000;
  const memory = { peakMb: peakMemory() / 2 ** 20, coreMb: engine.memory.used / 2 ** 20 };
  return { owners, samples, width, seconds, stepSeconds: stepMs / 1000, steps, ...memory };
}

interface Embeddings {
  /** [sample, owner, d] */
  embeddings: Tensor;
  /** Where not every owner saw every sample, 1 for those that did: [sample, owner] */
  present?: Tensor;
}

type Sizes = Exclude<TimeRequest['data'], { bundles: string }>;

function randomEmbeddings({ owners, samples, width, missing }: Sizes, seed: number): Embeddings {
  const random = new RandomStream(seed, DATA_STREAM);
  const embeddings = engine.buffer([samples, owners, width]);
  random.fillUniform(embeddings.data, -1, 1);
  if (missing === 0) return { embeddings };
  const present = engine.buffer([samples, owners]);
  const [values, mask] = [embeddings.data, present.data];
  for (let at = 0; at < mask.length; at++) {
    mask[at] = random.uniform() < missing ? 0 : 1;
    if (mask[at] === 0) values.fill(0, at * width, (at + 1) * width);
  }
  return { embeddings, present };
}

async function joinBundles(folder: string): Promise<Embeddings> {
  const files = listBundles([folder]);
  const join = new BundleJoin(engine, { expected: files.length });
  for await (const { bundle, hash } of readBundles(files)) join.add(bundle, hash);
  const { embeddings, present, isComplete } = join.finish();
  return isComplete ? { embeddings } : { embeddings, present };
}
