import { describe, expect, it } from 'vitest';
import { resolveFusionConfig } from '../fusion-config.ts';
import type { DoneFit } from './fit-record.ts';
import { givenUpAfter, isHopeless, isWhole, wouldEndThere } from './give-up.ts';

const history = (losses: readonly number[]) =>
  losses.map((validationLoss, i) => ({ epoch: i + 1, trainLoss: 0, validationLoss }));
/** `losses`, then the last of them until there are `epochs`. */
const flat = (losses: readonly number[], epochs: number) =>
  history(Array.from({ length: epochs }, (_, i) => losses[Math.min(i, losses.length - 1)]));

describe('a fit of a search', () => {
  it('is given up after eight epochs without progress while it is behind the bar', () => {
    expect(givenUpAfter(flat([0.5, 0.3, 0.2], 40), 0.15)).toBe(3 + 8);
  });

  it('is not given up beside the bar, however long it makes no progress', () => {
    expect(givenUpAfter(flat([0.5, 0.3, 0.2], 40), 0.195)).toBeUndefined();
    expect(givenUpAfter(flat([0.5, 0.3, 0.1], 40), 0.15)).toBeUndefined();
  });

  it('is not given up while it makes progress, unless it is far behind late', () => {
    const slow = history(Array.from({ length: 60 }, (_, i) => 0.5 - 0.005 * i));
    expect(givenUpAfter(slow, 0.26)).toBeUndefined();
    expect(givenUpAfter(slow, 0.15)).toBe(25);
  });

  it('is measured with some slack against a tiny loss', () => {
    expect(isHopeless({ epoch: 30, best: { epoch: 1, loss: 0.0015 } }, 1e-6)).toBe(false);
    expect(isHopeless({ epoch: 30, best: { epoch: 1, loss: 0.003 } }, 1e-6)).toBe(true);
  });

  it('without a finite loss is not given up by a comparison', () => {
    expect(isHopeless({ epoch: 3, best: { epoch: 0, loss: Number.POSITIVE_INFINITY } }, 0.1)).toBe(false);
  });
});

describe('a fit that was kept', () => {
  const config = resolveFusionConfig({ epochs: 100, patience: 20 });
  const keptFit = (epochs: number, bestEpoch: number, method: 'consensus' | 'boosting' = 'consensus') =>
    ({
      kind: 'done',
      config: { ...config, method },
      model: { card: { epochs, bestEpoch, history: flat([0.5, 0.3, 0.2], epochs) } },
    }) as unknown as DoneFit;

  it('is of use under a bar that ends it where it ended', () => {
    expect(wouldEndThere(keptFit(11, 3), 0.15)).toBe(true);
    expect(wouldEndThere(keptFit(23, 3), undefined)).toBe(true);
    expect(wouldEndThere(keptFit(23, 3), 0.2)).toBe(true);
  });

  it('is made anew under a bar that ends it earlier, or later', () => {
    expect(wouldEndThere(keptFit(23, 3), 0.15)).toBe(false);
    expect(wouldEndThere(keptFit(11, 3), 0.2)).toBe(false);
    expect(wouldEndThere(keptFit(11, 3), undefined)).toBe(false);
  });

  it('of trees is always whole', () => {
    expect([isWhole(keptFit(11, 3, 'boosting')), wouldEndThere(keptFit(11, 3, 'boosting'), 0.1)]).toEqual([true, true]);
    expect([isWhole(keptFit(11, 3)), isWhole(keptFit(23, 3))]).toEqual([false, true]);
  });
});
