// [coordinator] Copies of training samples that lack some owners, other ones in every iteration: trees that have seen absence
// know what to do about it.
import { RandomStream } from '../../core/random.ts';
import { type Bins, MISSING_BIN } from './binning.ts';

export interface MaskingRules {
  /** Share of the groups that a copy lacks, on average. */
  dropout: number;
  /** Neighbouring features that are missing together: an owner's embedding. */
  group: number;
  seed: number;
}

const STREAMS = 0x6162_0000;
/** Copies of validation samples are drawn once, apart from those of any iteration. */
const VALIDATION_STREAM = 0x6161_0000;

/** Bins of the samples and, behind them, of as many copies: [feature, 2 · sample]. Every feature may be missing in a copy. */
export function binsWithCopies({ thresholds, binned }: Bins): Bins {
  const samples = binned.length / thresholds.length;
  const both = new Uint8Array(2 * binned.length);
  for (let feature = 0; feature < thresholds.length; feature++) {
    const column = binned.subarray(feature * samples, (feature + 1) * samples);
    both.set(column, 2 * feature * samples);
    both.set(column, (2 * feature + 1) * samples);
  }
  return { thresholds, binned: both, hasMissing: new Uint8Array(thresholds.length).fill(1) };
}

/** The samples' copies, drawn anew before every iteration. */
export class MaskedCopies {
  /** [sample, feature], NaN where missing */
  readonly values: Float32Array;
  readonly #whole: Float32Array;
  readonly #features: number;
  readonly #rules: MaskingRules;

  constructor(whole: Float32Array, features: number, rules: MaskingRules) {
    this.#whole = whole;
    this.#features = features;
    this.#rules = rules;
    this.values = whole.slice();
  }

  /** `binned`: as `binsWithCopies` makes them, of which the copies' part is written */
  draw(iteration: number, binned: Uint8Array): void {
    const { group } = this.#rules;
    const samples = this.values.length / this.#features;
    for (let feature = 0; feature < this.#features; feature++) {
      const column = 2 * feature * samples;
      binned.copyWithin(column + samples, column, column + samples);
    }
    this.#mask(STREAMS + iteration, (sample, first) => {
      for (let feature = first; feature < first + group; feature++) {
        binned[(2 * feature + 1) * samples + sample] = MISSING_BIN;
      }
    });
  }

  /** The samples and one copy of each, for validation: [2 · sample, feature]. */
  static beside(whole: Float32Array, features: number, rules: MaskingRules): Float32Array {
    const copies = new MaskedCopies(whole, features, rules);
    copies.#mask(VALIDATION_STREAM, () => undefined);
    const both = new Float32Array(2 * whole.length);
    both.set(whole);
    both.set(copies.values, whole.length);
    return both;
  }

  /**
   * Every copy has a chance of its own, as far below the mean as above it: from 0 to twice a mean of up to one half, to 1 for a larger one.
   * Whoever predicts may lack few owners or most.
   */
  #mask(stream: number, onMissing: (sample: number, first: number) => void): void {
    const { dropout, group, seed } = this.#rules;
    const features = this.#features;
    const random = new RandomStream(seed, stream);
    const least = Math.max(0, 2 * dropout - 1);
    const most = Math.min(1, 2 * dropout);
    const draws = new Float32Array(features / group);
    this.values.set(this.#whole);
    for (let sample = 0; sample < this.values.length / features; sample++) {
      const chance = least + (most - least) * random.uniform();
      random.fillUniform(draws, 0, 1);
      for (const [g, draw] of draws.entries()) {
        if (draw >= chance) continue;
        const at = sample * features + g * group;
        this.values.fill(Number.NaN, at, at + group);
        onMissing(sample, g * group);
      }
    }
  }
}
