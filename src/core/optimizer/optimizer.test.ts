import { afterAll, describe, expect, it } from 'vitest';
import { expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import type { KernelBuild } from '../engine/kernels.ts';
import type { Tensor } from '../engine/tensor.ts';
import { RandomStream } from '../random.ts';
import * as reference from '../reference/optimizer.ts';
import { Adam, type Optimizer, Sgd } from './optimizer.ts';

const SIZES = [[3, 7], [1], [130, 129]];
const STEPS = 50;
const size = (shape: number[]) => shape.reduce((product, length) => product * length, 1);

/** The same starts and gradients for everyone: float32 numbers whose scale changes from step to step. */
const random = new RandomStream(11, 0);
const draw = (length: number, scale: number) => {
  const values = new Float32Array(length);
  random.fillUniform(values, -scale, scale);
  return Float64Array.from(values);
};
const starts = SIZES.map((shape) => draw(size(shape), 1));
const gradients = Array.from({ length: STEPS }, (_, t) => SIZES.map((shape) => draw(size(shape), 10 ** ((t % 5) - 3))));

const make: Record<string, (engine: Engine, parameters: Tensor[]) => Optimizer> = {
  Adam: (engine, parameters) => new Adam(engine, parameters, { learningRate: 0.01 }),
  'Adam with its own settings': (engine, parameters) =>
    new Adam(engine, parameters, { learningRate: 0.3, beta1: 0.5, beta2: 0.9, epsilon: 1e-2 }),
  'Adam with weight decay': (engine, parameters) =>
    new Adam(engine, parameters, { learningRate: 0.01, weightDecay: 0.5 }),
  Sgd: (engine, parameters) => new Sgd(engine, parameters, { learningRate: 0.2 }),
  'Sgd with momentum': (engine, parameters) => new Sgd(engine, parameters, { learningRate: 0.05, momentum: 0.9 }),
};
const adamDefaults = { learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
const expected: Record<string, (start: Float64Array, given: Float64Array[]) => Float64Array[]> = {
  Adam: (start, given) => reference.adam(start, given, adamDefaults),
  'Adam with its own settings': (start, given) =>
    reference.adam(start, given, { learningRate: 0.3, beta1: 0.5, beta2: 0.9, epsilon: 1e-2 }),
  'Adam with weight decay': (start, given) => reference.adam(start, given, { ...adamDefaults, weightDecay: 0.5 }),
  Sgd: (start, given) => reference.sgd(start, given, 0.2, 0),
  'Sgd with momentum': (start, given) => reference.sgd(start, given, 0.05, 0.9),
};

const parametersOf = (engine: Engine) => SIZES.map((shape, i) => engine.parameter(shape, starts[i]));

function advance(optimizer: Optimizer, parameters: Tensor[], from: number, to: number): void {
  for (let t = from; t < to; t++) {
    parameters.forEach((parameter, i) => {
      parameter.gradient.set(gradients[t][i]);
    });
    optimizer.step();
  }
}

for (const name of Object.keys(make)) {
  describe(name, () => {
    for (const build of ['simd', 'relaxed'] as KernelBuild[]) {
      it(`follows the float64 reference over ${STEPS} steps (${build} kernels)`, async () => {
        const engine = new Engine({ threads: 1, build });
        const parameters = parametersOf(engine);
        advance(make[name](engine, parameters), parameters, 0, STEPS);
        parameters.forEach((parameter, i) => {
          const wanted = expected[name](
            starts[i],
            gradients.map((step) => step[i]),
          );
          expectClose(parameter.data, wanted[STEPS - 1], 5e-6, `parameter ${i}`);
        });
        await engine.dispose();
      });
    }

    it('resumes from its state to the same bits, on another number of threads too', async () => {
      const engine = new Engine({ threads: 1 });
      const whole = parametersOf(engine);
      advance(make[name](engine, whole), whole, 0, STEPS);

      const half = parametersOf(engine);
      const interrupted = make[name](engine, half);
      advance(interrupted, half, 0, 20);
      const state = structuredClone(interrupted.state());
      expect(state.steps).toBe(20);
      interrupted.dispose();

      const other = new Engine({ threads: 3 });
      const rest = half.map((parameter) => other.parameter(parameter.shape, parameter.data));
      const resumed = make[name](other, rest);
      advance(resumed, rest, 0, 1);
      rest.forEach((parameter, i) => {
        parameter.data.set(half[i].data);
      });
      resumed.restore(state);
      advance(resumed, rest, 20, STEPS);
      rest.forEach((parameter, i) => {
        expect(parameter.data.slice()).toEqual(whole[i].data.slice());
      });
      await engine.dispose();
      await other.dispose();
    });
  });
}

describe('an optimiser', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('consumes the gradients: they are zero after the step', () => {
    for (const name of Object.keys(make)) {
      const parameters = parametersOf(engine);
      advance(make[name](engine, parameters), parameters, 0, 1);
      for (const parameter of parameters) expect(parameter.gradient.every((g) => g === 0)).toBe(true);
    }
  });

  it('uses a learning rate changed between steps', () => {
    const parameter = engine.parameter([2], [1, 2]);
    const optimizer = new Sgd(engine, [parameter], { learningRate: 1 });
    optimizer.learningRate = 0.5;
    parameter.gradient.set([1, -1]);
    optimizer.step();
    expect([...parameter.data]).toEqual([0.5, 2.5]);
  });

  it('scales the learning rate of a parameter', () => {
    const advanced = (learningRate: number, scale: number) => {
      const parameters = parametersOf(engine);
      const rateScale = (parameter: Tensor) => (parameter === parameters[0] ? scale : 1);
      advance(new Adam(engine, parameters, { learningRate, rateScale }), parameters, 0, 5);
      return parameters.map(({ data }) => data.slice());
    };
    const [first, ...others] = advanced(0.5, 0.25);
    expect(first).toEqual(advanced(0.125, 1)[0]);
    expect(others).toEqual(advanced(0.5, 1).slice(1));
    expectClose(advanced(0.5, 0)[0], starts[0], 0, 'a rate of zero');
  });

  it('decays only the parameters that shall, and with a decay of 0 takes the very steps of one without', () => {
    const advanced = (options: { weightDecay?: number; decays?: (parameter: Tensor) => boolean }, chosen = -1) => {
      const parameters = parametersOf(engine);
      const decays = (parameter: Tensor) => parameter === parameters[chosen];
      const own = chosen < 0 ? options : { ...options, decays };
      advance(new Adam(engine, parameters, { learningRate: 0.1, ...own }), parameters, 0, 5);
      return parameters.map(({ data }) => data.slice());
    };
    const without = advanced({});
    expect(advanced({ weightDecay: 0 })).toEqual(without);
    const [first, ...others] = advanced({ weightDecay: 0.5 }, 0);
    expect(others).toEqual(without.slice(1));
    expect(first).toEqual(advanced({ weightDecay: 0.5 })[0]);
    expect(first).not.toEqual(without[0]);
  });

  it('gives its memory back', () => {
    const parameter = engine.parameter([777]);
    new Adam(engine, [parameter], { learningRate: 1 }).dispose();
    const { used } = engine.memory;
    for (let i = 0; i < 5; i++) new Adam(engine, [parameter], { learningRate: 1 }).dispose();
    expect(engine.memory.used).toBe(used);
  });

  it('refuses a step after dispose', () => {
    const optimizer = new Adam(engine, [engine.parameter([2])], { learningRate: 1 });
    optimizer.dispose();
    expect(() => optimizer.step()).toThrow('optimizer: must not be used after dispose');
  });

  it('refuses parameters that cannot be learned, none at all, or one twice', () => {
    const options = { learningRate: 0.1 };
    const parameter = engine.parameter([2]);
    expect(() => new Adam(engine, [parameter, engine.buffer([2])], options)).toThrow(
      'adam parameters: must all need a gradient, got a constant at 1',
    );
    expect(() => new Sgd(engine, [], options)).toThrow('sgd parameters: must not be empty, got none');
    expect(() => new Sgd(engine, [parameter, parameter], options)).toThrow(
      'sgd parameters: must all be different, got one of them twice',
    );
  });

  it('refuses settings outside their range', () => {
    const one = [engine.parameter([1])];
    expect(() => new Adam(engine, one, { learningRate: -1 })).toThrow(
      'adam learningRate: must be a finite number ≥ 0, got -1',
    );
    expect(() => new Adam(engine, one, { learningRate: 1, rateScale: () => -2 })).toThrow(
      'adam rateScale: must be a finite number ≥ 0, got -2',
    );
    expect(() => new Adam(engine, one, { learningRate: 1, weightDecay: Number.NaN })).toThrow(
      'adam weightDecay: must be a finite number ≥ 0, got NaN',
    );
    expect(() => new Adam(engine, one, { learningRate: 1, beta2: 1 })).toThrow('adam beta2: must be in [0, 1), got 1');
    expect(() => new Sgd(engine, one, { learningRate: 1, momentum: 1.5 })).toThrow(
      'sgd momentum: must be in [0, 1), got 1.5',
    );
  });

  it('refuses a state of other parameters and keeps its own', () => {
    const parameter = engine.parameter([3]);
    const optimizer = new Adam(engine, [parameter], { learningRate: 0.1 });
    parameter.gradient.set([1, 2, 3]);
    optimizer.step();
    const before = optimizer.state();
    const other = new Adam(engine, [engine.parameter([4])], { learningRate: 0.1 });
    expect(() => optimizer.restore(other.state())).toThrow('optimizer state firstMoment.0: must hold 3 numbers, got 4');
    expect(() => optimizer.restore({ steps: 1, arrays: {} })).toThrow(
      'optimizer state arrays: must be named firstMoment.0, secondMoment.0, got (none)',
    );
    expect(() => optimizer.restore({ ...before, steps: -1 })).toThrow(
      'optimizer state steps: must be an integer ≥ 0, got -1',
    );
    expect(optimizer.state()).toEqual(before);
  });
});
