// [coordinator] When a search gives a fit up: it is behind the best fit of earlier rounds and makes no progress, or is far behind.
// The answer depends on losses alone, so it is the same on any machine, and can be told again from a fit's history.
import type { EpochReport, TrainingProgress } from '../training/training-state.ts';
import type { DoneFit } from './fit-record.ts';

/** A loss this much above the bar is behind: relative, and a little more, because of two tiny losses neither is much better. */
const BEHIND = { factor: 1.05, slack: 0.002 } as const;
/** Epochs without progress that are enough for a fit that is behind. */
const PATIENCE_BEHIND = 8;
/** From this epoch on a fit may be far behind; before, even good ones are. */
const FAR_EPOCH = 25;
const FAR_BEHIND = { factor: 1.5, slack: 0.02 } as const;

/** `bar`: the validation loss, with everybody there, of the best fit so far. */
export function isHopeless({ epoch, best }: TrainingProgress, bar: number): boolean {
  const isAbove = ({ factor, slack }: { factor: number; slack: number }) => best.loss > factor * bar + slack;
  return (isAbove(BEHIND) && epoch - best.epoch >= PATIENCE_BEHIND) || (epoch >= FAR_EPOCH && isAbove(FAR_BEHIND));
}

/** The epoch after which a fit with this history is given up; undefined where it never is. */
export function givenUpAfter(history: readonly EpochReport[], bar: number): number | undefined {
  let best = { epoch: 0, loss: Number.POSITIVE_INFINITY };
  for (const { epoch, validationLoss: loss } of history) {
    if (loss < best.loss) best = { epoch, loss };
    if (isHopeless({ epoch, best }, bar)) return epoch;
  }
  return undefined;
}

/** Whether training ended by itself. Trees are never given up. */
export function isWhole({ config, model }: DoneFit): boolean {
  const { epochs, bestEpoch } = model.card;
  return config.method === 'boosting' || epochs >= config.epochs || epochs - bestEpoch >= config.patience;
}

/**
 * Whether a fit that was kept ends where it would under this bar. A search that asked for something else had other bars, and may
 * have given it up earlier or later.
 */
export function wouldEndThere(fit: DoneFit, bar: number | undefined): boolean {
  if (fit.config.method === 'boosting') return true;
  const { epochs, history } = fit.model.card;
  const end = bar === undefined ? undefined : givenUpAfter(history, bar);
  return end === undefined ? isWhole(fit) : end === epochs;
}
