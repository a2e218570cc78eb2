// [coordinator] Finds the best split of a node's samples over all features, by histograms of gradients on all threads.
import type { Engine } from '../../core/engine/engine.ts';
import type { Bins } from './binning.ts';

export interface SplitRules {
  /** λ: pulls leaves towards 0. */
  l2: number;
  /** Fewest samples on either side. */
  leastSamples: number;
}

/** Samples of a node. */
export interface Stretch {
  /** Position of the first in the finder's rows. */
  start: number;
  count: number;
  /** Sums over them. */
  gradient: number;
  hessian: number;
  /** g²/(h + λ) of these sums, which a split has to surpass; 0 for a tree's root, which is split wherever it can be. */
  worth: number;
}

export interface TreeSplit {
  /** What the loss falls by, twice. */
  gain: number;
  feature: number;
  /** Values of bins up to this go left. */
  bin: number;
  missingLeft: boolean;
}

/** Smallest sum of hessians on either side, scikit-learn's. */
const LEAST_HESSIAN = 1e-3;
/** Looks into a histogram per task: enough to outweigh handing it over. */
const WORK_PER_TASK = 32_768;
/** What a feature costs beside its samples: clearing and scanning bins. */
const WORK_PER_FEATURE = 256;

/** Samples in an order of their own, gradients in the same; a node is a stretch of both. */
export class SplitFinder {
  /** [position]: sample number */
  readonly rows: Uint32Array;
  /** [position, 2]: gradient and hessian of the sample at that position */
  readonly slopes: Float64Array;
  readonly binned: Uint8Array;
  readonly #engine: Engine;
  readonly #rules: SplitRules;
  readonly #samples: number;
  readonly #features: number;
  readonly #hasMissing: Uint8Array;
  readonly #blocks: { address: number; bytes: number }[] = [];
  readonly #at: Record<'binned' | 'rows' | 'slopes' | 'binCounts' | 'hasMissing' | 'listed' | 'out', number>;

  constructor(engine: Engine, { thresholds, binned, hasMissing }: Bins, rules: SplitRules) {
    this.#engine = engine;
    this.#rules = rules;
    this.#features = thresholds.length;
    this.#samples = binned.length / thresholds.length;
    this.#hasMissing = hasMissing;
    const block = (bytes: number) => {
      const address = engine.memory.allocate(bytes);
      this.#blocks.push({ address, bytes });
      return address;
    };
    this.#at = {
      binned: block(binned.length),
      rows: block(this.#samples * 4),
      slopes: block(this.#samples * 16),
      binCounts: block(this.#features * 4),
      hasMissing: block(this.#features * 4),
      listed: block(this.#features * 4),
      out: block(this.#features * 16),
    };
    const { buffer } = engine.memory.wasm;
    this.binned = new Uint8Array(buffer, this.#at.binned, binned.length);
    this.binned.set(binned);
    this.rows = new Uint32Array(buffer, this.#at.rows, this.#samples);
    this.slopes = new Float64Array(buffer, this.#at.slopes, this.#samples * 2);
    engine.memory.integers(this.#at.binCounts, this.#features).set(thresholds.map((cuts) => cuts.length + 1));
    engine.memory.integers(this.#at.hasMissing, this.#features).set(hasMissing);
  }

  /** Whether a sample lacks the feature, in all that is learned from. */
  hasMissing(feature: number): boolean {
    return this.#hasMissing[feature] === 1;
  }

  /** The best split of a node's samples; nothing if none helps. */
  find({ start, count, gradient, hessian, worth }: Stretch, features: Uint32Array): TreeSplit | undefined {
    const { memory, kernels } = this.#engine;
    const at = this.#at;
    const { l2, leastSamples } = this.#rules;
    memory.integers(at.listed, features.length).set(features);
    const perTask = Math.max(1, Math.ceil(WORK_PER_TASK / (count + WORK_PER_FEATURE)));
    const scratch = [this.#engine.threadScratch(kernels.histogramScratch()), this.#engine.threadScratchBytes] as const;
    const where = [at.binned, count, at.rows + start * 4, at.slopes + start * 16, gradient, hessian, worth] as const;
    const rules = [l2, leastSamples, LEAST_HESSIAN] as const;
    const tasks = Math.ceil(features.length / perTask);
    const feature = [features.length, at.listed, this.#samples] as const;
    const kinds = [at.binCounts, at.hasMissing] as const;
    this.#engine.run('bestSplits', tasks, perTask, ...feature, ...where, ...kinds, ...rules, at.out, ...scratch);
    const gains = new Float64Array(memory.wasm.buffer, at.out, features.length * 2);
    let best = -1;
    // The first of equals: the result does not depend on the number of threads.
    for (let i = 0; i < features.length; i++) {
      if (gains[2 * i] > 0 && (best < 0 || gains[2 * i] > gains[2 * best])) best = i;
    }
    if (best < 0) return undefined;
    const [bin, missingLeft] = memory.integers(at.out + best * 16 + 8, 2);
    return { gain: gains[2 * best], feature: features[best], bin, missingLeft: missingLeft === 1 };
  }

  dispose(): void {
    for (const { address, bytes } of this.#blocks) this.#engine.memory.free(address, bytes);
  }
}
