import { afterAll, describe, expect, it } from 'vitest';
import { checkOp, expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { RandomStream } from '../random.ts';
import * as reference from '../reference/project-matrices.ts';
import { affine } from './affine.ts';
import { perOwnerAffine } from './per-owner-affine.ts';
import { projectMatrices } from './project-matrices.ts';

for (const [owners, out, width, h] of [
  [3, 6, 6, 4],
  [5, 7, 3, 9],
  [1, 1, 1, 1],
]) {
  checkOp(`projected matrices of ${owners} owners, ${out}×${width} to ${h}×${width}`, {
    inputs: { matrices: { shape: [owners, out, width] }, weight: { shape: [out, h] } },
    op: (tape, { matrices, weight }) => projectMatrices(tape, matrices, weight),
    reference: ({ matrices, weight }) => reference.projectMatrices(matrices, weight, out, width, h),
  });
}

describe('projected matrices', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('give what aligning and then projecting gives', () => {
    const random = new RandomStream(2, 0);
    const draw = (...shape: number[]) => {
      const tensor = engine.buffer(shape);
      random.fillUniform(tensor.data, -1, 1);
      return tensor;
    };
    const [x, matrices, weight] = [draw(4, 3, 6), draw(3, 5, 6), draw(5, 2)];
    const tape = engine.inferenceTape();
    const twoSteps = affine(tape, perOwnerAffine(tape, x, matrices), weight);
    const oneStep = perOwnerAffine(tape, x, projectMatrices(tape, matrices, weight));
    expect(oneStep.shape).toEqual(twoSteps.shape);
    expectClose(oneStep.data, twoSteps.data, 1e-6, 'projected alignment');
  });

  it('refuse a weight of another height', () => {
    expect(() => projectMatrices(engine.tape(), engine.buffer([2, 3, 4]), engine.buffer([4, 2]))).toThrow(
      'project matrices weight: shape must be [3, h], got [4, 2]',
    );
  });
});
