import { afterAll, describe, expect, it } from 'vitest';
import { expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { RandomStream } from '../random.ts';
import * as reference from '../reference/optimizer.ts';
import { clipGradients } from './clip-gradients.ts';

const SIZES = [7, 1, 20_003];

function learnable(engine: Engine, seed: number) {
  const random = new RandomStream(seed, 0);
  return SIZES.map((size) => {
    const parameter = engine.parameter([size]);
    random.fillUniform(parameter.gradient, -1, 1);
    return parameter;
  });
}

describe('clipGradients', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('scales the gradients to the norm asked for and returns the norm before', () => {
    const parameters = learnable(engine, 1);
    const { norm, clipped } = reference.clip(
      parameters.map((parameter) => Float64Array.from(parameter.gradient)),
      2.5,
    );
    expect(clipGradients(engine, parameters, 2.5)).toBeCloseTo(norm, 9);
    parameters.forEach((parameter, i) => {
      expectClose(parameter.gradient, clipped[i], 2e-7, `gradient ${i}`);
    });
    expect(clipGradients(engine, parameters, 1e9)).toBeCloseTo(2.5, 5);
  });

  it('leaves gradients within the norm as they are', () => {
    const parameters = learnable(engine, 2);
    const before = parameters.map((parameter) => parameter.gradient.slice());
    clipGradients(engine, parameters, 1000);
    expect(parameters.map((parameter) => parameter.gradient.slice())).toEqual(before);
  });

  it('returns 0 for gradients of zero and keeps them', () => {
    const parameter = engine.parameter([3]);
    expect(clipGradients(engine, [parameter], 1)).toBe(0);
    expect([...parameter.gradient]).toEqual([0, 0, 0]);
  });

  it('returns a norm that is not finite, so that the caller can stop', () => {
    const parameter = engine.parameter([2]);
    parameter.gradient.set([Number.POSITIVE_INFINITY, 1]);
    expect(clipGradients(engine, [parameter], 1)).toBe(Number.POSITIVE_INFINITY);
    parameter.gradient.set([Number.NaN, 1]);
    expect(clipGradients(engine, [parameter], 1)).toBeNaN();
  });

  it('gives the same bits on one thread and on three', async () => {
    const three = new Engine({ threads: 3 });
    const [a, b] = [learnable(engine, 3), learnable(three, 3)];
    expect(clipGradients(three, b, 0.1)).toBe(clipGradients(engine, a, 0.1));
    expect(b.map((parameter) => parameter.gradient.slice())).toEqual(a.map((parameter) => parameter.gradient.slice()));
    await three.dispose();
  });

  it('refuses a norm that is not above 0', () => {
    expect(() => clipGradients(engine, [engine.parameter([1])], 0)).toThrow(
      'clipGradients maxNorm: must be above 0, got 0',
    );
  });
});
