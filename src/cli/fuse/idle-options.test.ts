import { describe, expect, test } from 'vitest';
import type { FusionOptions } from './fusion-options.ts';
import { refuseIdleOptions } from './idle-options.ts';

const check = (options: Partial<FusionOptions>) => refuseIdleOptions({ preset: 'paper', ...options });

describe('an option that does nothing is refused', () => {
  test.each<[Partial<FusionOptions>, string]>([
    [{ k: 3 }, '--k: is for --graph knn only, got --graph icdf'],
    [{ graph: 'knn', k: 3, temperature: 1 }, '--temperature: is for --graph icdf or gumbel only, got --graph knn'],
    [{ graph: 'gumbel', reference: 'uniform' }, '--reference: is for --graph icdf only, got --graph gumbel'],
    [{ row: 'E', projectEdges: true }, '--project-edges: is for --graph icdf or gumbel only, got --graph none'],
    [{ row: 'E', graphsPer: 'batch' }, '--graphs-per: is for --graph icdf or gumbel only, got --graph none'],
    [{ row: 'E', graphSamples: 3 }, '--graph-samples: is for --graph icdf or gumbel only, got --graph none'],
    [{ row: 'E', skip: false }, '--no-skip: is for --graph given or knn or icdf or gumbel only, got --graph none'],
    [{ sinkhorn: 'exp' }, '--sinkhorn: is for --alignment hard only, got --alignment soft'],
    [{ sweeps: 5 }, '--sweeps: is for --alignment hard only, got --alignment soft'],
    [{ row: 'H', entropyWeight: 1 }, '--entropy-weight: is for --alignment hard only, got --alignment none'],
    [{ row: 'F', alignment: 'soft' }, '--alignment: is for --method consensus only, got --method transformer'],
    [{ row: 'B', graph: 'knn', k: 3 }, '--graph: is for --method consensus only, got --method majority'],
    [{ method: 'concatenation', skip: true }, '--skip: is for --method consensus only, got --method concatenation'],
    [{ bins: 4 }, '--bins: is for --encoding quantiles or auto only, got --encoding none'],
    [{ row: 'H', encoding: 'quantiles' }, '--encoding: is for --alignment soft only, got --alignment none'],
    [{ row: 'E', ownerBias: true }, '--owner-bias: is for --alignment soft or hard only, got --alignment none'],
    [{ row: 'G', readout: 'layers' }, '--readout: is for --method consensus only, got --method concatenation'],
    [
      { method: 'boosting', hidden: 4 },
      '--hidden: is for --method consensus or transformer or concatenation only, got --method boosting',
    ],
    [{ row: 'F', activation: 'quadratic' }, '--activation: is for --method consensus only, got --method transformer'],
    [{ optimizer: 'sgd', weightDecay: 0.1 }, '--weight-decay: is for --optimizer adam only, got --optimizer sgd'],
    [{ adjacency: 'a.csv' }, '--adjacency: is for --graph given only, got --graph icdf'],
    [{ graph: 'given' }, '--graph given: the graph must be named with --adjacency, got none'],
  ])('%o', (options, message) => {
    expect(() => check(options)).toThrow(expect.objectContaining({ code: 'F3_OPTION', message }));
  });

  test('and one that does something is not, whatever the preset holds beside it', () => {
    check({});
    check({ preset: 'recommended', row: 'E', ownerDropout: 0.2 });
    check({ row: 'E', graph: 'knn', k: 3, skip: false });
    check({ alignment: 'hard', sinkhorn: 'exp', sweeps: 3, entropyWeight: 0, graph: 'gumbel', temperature: 1 });
    check({ graph: 'given', adjacency: 'a.csv' });
    check({ row: 'F', method: 'consensus', reference: 'logistic', graphSamples: 1 });
    check({ activation: 'quadratic', optimizer: 'sgd', lr: 0.3 });
    check({ method: 'best', epochs: 3 });
    check({ method: 'boosting', epochs: 3, lr: 0.2 });
    check({
      encoding: 'quantiles',
      bins: 4,
      ownerBias: true,
      readout: 'layers',
      weightDecay: 0.1,
      averageWeights: 0.9,
    });
  });
});
