// Optimisers and gradient clipping against PyTorch's trajectories (test/golden/make.py).
import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import type { Tensor } from '../../src/core/engine/tensor.ts';
import { AveragedWeights } from '../../src/core/optimizer/averaged-weights.ts';
import { clipGradients } from '../../src/core/optimizer/clip-gradients.ts';
import { Adam, Sgd } from '../../src/core/optimizer/optimizer.ts';
import { expectClose } from '../support/check-op.ts';
import { Golden } from '../support/golden.ts';

/** A few units in the last place of float32. */
const TOLERANCE = 3e-7;

describe('PyTorch', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  const golden = new Golden('adam');
  const optimizers = {
    'adam 0.01': (parameter: Tensor) => new Adam(engine, [parameter], { learningRate: 0.01 }),
    'adam 0.001': (parameter: Tensor) => new Adam(engine, [parameter], { learningRate: 0.001 }),
    'sgd 0.1': (parameter: Tensor) => new Sgd(engine, [parameter], { learningRate: 0.1 }),
    'sgd 0.1 momentum 0.9': (parameter: Tensor) => new Sgd(engine, [parameter], { learningRate: 0.1, momentum: 0.9 }),
  };

  it.each(Object.entries(optimizers))('takes the same steps: %s', (name, make) => {
    const [steps, size] = golden.shape('gradients');
    const parameter = engine.parameter([size], golden.values('start'));
    const optimizer = make(parameter);
    for (let t = 0; t < steps; t++) {
      parameter.gradient.set(golden.values('gradients').slice(t * size, (t + 1) * size));
      optimizer.step();
      const wanted = golden.values(name).slice(t * size, (t + 1) * size);
      expectClose(parameter.data, wanted, TOLERANCE, `after step ${t + 1}`);
    }
  });

  it('decays weights and averages them to the same numbers', () => {
    const golden = new Golden('averaged');
    const [steps, size] = golden.shape('gradients');
    const parameter = engine.parameter([size], golden.values('start'));
    const optimizer = new Adam(engine, [parameter], { learningRate: 0.01, weightDecay: 0.3 });
    const averaged = new AveragedWeights(engine, [parameter], 0.9);
    for (let t = 0; t < steps; t++) {
      const row = (name: string) => golden.values(name).slice(t * size, (t + 1) * size);
      parameter.gradient.set(row('gradients'));
      optimizer.step();
      averaged.update();
      expectClose(parameter.data, row('adamw'), TOLERANCE, `after step ${t + 1}`);
      averaged.with(() => expectClose(parameter.data, row('mean'), TOLERANCE, `mean after step ${t + 1}`));
    }
  });

  it('clips gradients to the same numbers', () => {
    const golden = new Golden('clip');
    const parameters = [0, 1].map((i) => {
      const parameter = engine.parameter(golden.shape(`before ${i}`));
      parameter.gradient.set(golden.values(`before ${i}`));
      return parameter;
    });
    expect(clipGradients(engine, parameters, 0.7)).toBeCloseTo(golden.values('norm')[0], 6);
    parameters.forEach((parameter, i) => {
      expectClose(parameter.gradient, golden.values(`after ${i}`), TOLERANCE, `gradient ${i}`);
    });
  });
});
