// [owner] The Gaussian mechanism per sample (Dwork, Roth 2014, appendix A) with discrete noise: an embedding is cut to a length,
// put on a grid, and every number of it gets noise.
import { F3Error } from '../../errors.ts';
import { discreteGaussian, LARGEST_SIGMA } from './discrete-gaussian.ts';
import { type SecretDraw, secretNumbers } from './secret-numbers.ts';
import { releaseCost } from './zcdp.ts';

/** How embeddings are turned down. */
export interface NoiseOptions {
  /** C: no embedding is longer (L2). Longer ones are shortened. */
  clip: number;
  /** σ: the noise has a standard deviation of σ · C in every number. */
  noise: number;
}

/** Embeddings that were turned down. */
export interface NoisedEmbeddings {
  /** [sample, d] */
  embeddings: Float32Array;
  /** What each sample costs: ρ of zero-concentrated differential privacy. */
  cost: number;
  /** Share of embeddings that were longer than `clip`. */
  clipped: number;
}

/** Steps of the grid in a standard deviation. */
const STEPS = LARGEST_SIGMA;

/**
 * What one release of an embedding costs. Two readings may give any two embeddings within the ball, 2C apart, and rounding
 * to the grid moves each end by up to half a step in every direction.
 */
export function costPerSample({ clip, noise }: NoiseOptions, width: number): number {
  const deviation = clip * noise;
  const step = deviation / STEPS;
  return releaseCost(2 * clip + step * Math.sqrt(width), deviation);
}

/** `embeddings`: [sample, d] with d = `width`. `draw` is replaced by tests only. */
export function noiseEmbeddings(
  embeddings: Float32Array,
  width: number,
  options: NoiseOptions,
  draw: SecretDraw = secretNumbers(),
): NoisedEmbeddings {
  const { clip, noise } = options;
  for (const [name, value] of Object.entries({ clip, noise })) {
    if (Number.isFinite(value) && value > 0) continue;
    throw new F3Error('F3_ARGUMENT', `noise: ${name} must be a number above 0, got ${value}`);
  }
  const step = (clip * noise) / STEPS;
  const rows = embeddings.length / width;
  const noised = new Float32Array(embeddings.length);
  let longer = 0;
  for (let row = 0; row < rows; row++) {
    const at = row * width;
    let square = 0;
    for (let k = 0; k < width; k++) square += embeddings[at + k] ** 2;
    const length = Math.sqrt(square);
    const scale = length > clip ? clip / length : 1;
    if (length > clip) longer++;
    for (let k = 0; k < width; k++) {
      const steps = Math.round((embeddings[at + k] * scale) / step) + discreteGaussian(STEPS, draw);
      // Rounding to float32 comes after the noise, so it cannot give anything back.
      noised[at + k] = steps * step;
    }
  }
  return { embeddings: noised, cost: costPerSample(options, width), clipped: rows === 0 ? 0 : longer / rows };
}
