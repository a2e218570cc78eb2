// [coordinator] The learning rate of a step as a share of the config's: it depends on public numbers alone, so it is the same in the clear and on shares.
import type { FusionConfig } from '../fusion-config.ts';

/** What is left of the rate at the end: with less, gradients on shares would be lost between the last bits of fixed point. */
const LEAST = 0.01;

/**
 * 1 under a constant schedule. Under `cosine` the rate grows from nothing over the first epoch, which keeps a quadratic activation from running away, and then falls
 * along half a cosine, to a hundredth after the last of `epochs`. `step` counts from 0 over the whole training.
 */
export function rateFactor(
  { schedule, epochs }: Pick<FusionConfig, 'schedule' | 'epochs'>,
  step: number,
  stepsPerEpoch: number,
): number {
  if (schedule !== 'cosine') return 1;
  if (step < stepsPerEpoch) return (step + 1) / stepsPerEpoch;
  const wave = 0.5 * (1 + Math.cos((Math.PI * (step / stepsPerEpoch - 1)) / (epochs - 1)));
  return LEAST + (1 - LEAST) * wave;
}
