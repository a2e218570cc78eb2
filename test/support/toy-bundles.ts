// Bundles, labels and a split in a folder. Every owner shows the class in another number of its embedding, under noise.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RandomStream } from '../../src/core/random.ts';
import type { Bundle } from '../../src/exchange/bundle/bundle.ts';
import { writeBundle } from '../../src/exchange/bundle/bundle-file.ts';

export interface ToyBundlesOptions {
  owners?: number;
  samples?: number;
  classes?: string[];
  /** Width of each owner's embedding, by its number. */
  width?: (owner: number) => number;
  /** Whether an owner saw a sample. */
  saw?: (owner: number, sample: number) => boolean;
  /** Deviation of the noise; the signal is 1 apart. */
  noise?: number;
  seed?: number;
}

export interface ToyBundles {
  bundles: string;
  labels: string;
  split: string;
  /** The options that name them on the command line. */
  inputs: string[];
}

export const toyId = (sample: number): string => `s${String(sample).padStart(4, '0')}`;

export function toyLabels(samples: number, classes: number, seed: number): Int32Array {
  const random = new RandomStream(seed, 7);
  return Int32Array.from({ length: samples }, () => random.integer(classes));
}

/** The bundle of owner number `owner`. */
export function toyBundle(owner: number, options: ToyBundlesOptions = {}): Bundle {
  const {
    samples = 200,
    classes = ['calm', 'storm'],
    width = () => 4,
    saw = () => true,
    seed = 1,
    noise = 0.8,
  } = options;
  const labels = toyLabels(samples, classes.length, seed);
  const random = new RandomStream(seed, 100 + owner);
  const d = width(owner);
  const seen = Array.from({ length: samples }, (_, s) => s).filter((s) => saw(owner, s));
  const embeddings = new Float32Array(seen.length * d);
  const probabilities = new Float32Array(seen.length * classes.length);
  seen.forEach((s, row) => {
    for (let k = 0; k < d; k++) {
      const signal = k === owner % d ? 2 * labels[s] - 1 : 0;
      embeddings[row * d + k] = signal + noise * random.normal();
    }
    const guess = random.uniform() < 0.7 ? labels[s] : random.integer(classes.length);
    for (let c = 0; c < classes.length; c++) {
      probabilities[row * classes.length + c] = c === guess ? 0.6 : 0.4 / (classes.length - 1);
    }
  });
  const common = {
    owner: `owner-${owner}`,
    samples: seen.map(toyId),
    sampleType: 'text' as const,
    width: d,
    embeddings,
  };
  return { ...common, classes: classes.length, probabilities };
}

export function toyBundles(parent: string, options: ToyBundlesOptions = {}): ToyBundles {
  const { owners = 5, samples = 200, classes = ['calm', 'storm'], seed = 1 } = options;
  const bundles = join(parent, 'bundles');
  mkdirSync(bundles);
  for (let owner = 0; owner < owners; owner++) {
    writeBundle(join(bundles, `owner-${owner}.arrow`), toyBundle(owner, options));
  }
  const labels = join(parent, 'labels.csv');
  const rows = Array.from(toyLabels(samples, classes.length, seed), (label, s) => `${toyId(s)},${classes[label]}`);
  writeFileSync(labels, `sample,label\n${rows.join('\n')}\n`);
  const split = join(parent, 'split.json');
  const ids = Array.from({ length: samples }, (_, s) => toyId(s));
  const [a, b] = [Math.floor(samples * 0.6), Math.floor(samples * 0.8)];
  writeFileSync(split, JSON.stringify({ train: ids.slice(0, a), validation: ids.slice(a, b), test: ids.slice(b) }));
  return { bundles, labels, split, inputs: ['--bundles', bundles, '--labels', labels, '--split', split] };
}
