import { afterAll, describe, expect, it } from 'vitest';
import { expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { RandomStream } from '../random.ts';
import * as reference from '../reference/optimizer.ts';
import { AveragedWeights } from './averaged-weights.ts';

const SIZES = [7, 1, 20_003];
const STEPS = 30;
const random = new RandomStream(3, 0);
/** [step][parameter] */
const walk = Array.from({ length: STEPS }, () =>
  SIZES.map((size) => {
    const values = new Float32Array(size);
    random.fillUniform(values, 0, 2);
    return Float64Array.from(values);
  }),
);

describe('averaged weights', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  function advance(averaged: AveragedWeights, parameters: ReturnType<typeof made>, from: number, to: number) {
    for (let t = from; t < to; t++) {
      parameters.forEach((parameter, i) => {
        parameter.data.set(walk[t][i]);
      });
      averaged.update();
    }
  }
  const made = (on = engine) => SIZES.map((size) => on.parameter([size]));
  const means = (averaged: AveragedWeights, parameters: ReturnType<typeof made>) =>
    averaged.with(() => parameters.map(({ data }) => data.slice()));

  it('follow the float64 reference and leave the parameters as they were', () => {
    const parameters = made();
    const averaged = new AveragedWeights(engine, parameters, 0.9);
    advance(averaged, parameters, 0, STEPS);
    means(averaged, parameters).forEach((mean, i) => {
      const wanted = reference.average(
        walk.map((step) => step[i]),
        0.9,
      );
      expectClose(mean, wanted[STEPS - 1], 1e-6, `mean ${i}`);
      expect(Float64Array.from(parameters[i].data)).toEqual(walk[STEPS - 1][i]);
    });
  });

  it('start with the first weights, bit for bit', () => {
    const parameters = made();
    const averaged = new AveragedWeights(engine, parameters, 0.999);
    advance(averaged, parameters, 4, 5);
    expect(means(averaged, parameters)).toEqual(parameters.map(({ data }) => data.slice()));
  });

  it('go on from their state to the same bits, on another number of threads too', async () => {
    const parameters = made();
    const whole = new AveragedWeights(engine, parameters, 0.8);
    advance(whole, parameters, 0, 12);
    const state = structuredClone(whole.state());
    advance(whole, parameters, 12, STEPS);
    const other = new Engine({ threads: 3 });
    const rest = made(other);
    const resumed = new AveragedWeights(other, rest, 0.8);
    resumed.restore(state);
    advance(resumed, rest, 12, STEPS);
    expect(means(resumed, rest)).toEqual(means(whole, parameters));
    await other.dispose();
  });

  it('put the parameters back when their use fails', () => {
    const parameters = made();
    const averaged = new AveragedWeights(engine, parameters, 0.5);
    advance(averaged, parameters, 0, 2);
    expect(() =>
      averaged.with(() => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(Float64Array.from(parameters[0].data)).toEqual(walk[1][0]);
  });

  it('refuse a share outside (0, 1), and use before the first step', () => {
    expect(() => new AveragedWeights(engine, made(), 1)).toThrow('averaged weights decay: must be in (0, 1), got 1');
    expect(() => new AveragedWeights(engine, made(), 0.5).with(() => 1)).toThrow(
      'averaged weights: must be updated before they are used',
    );
  });
});
