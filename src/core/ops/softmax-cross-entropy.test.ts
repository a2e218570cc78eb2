import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/softmax.ts';
import { softmaxCrossEntropy } from './softmax-cross-entropy.ts';

for (const [batch, classes] of [
  [1, 1],
  [1, 2],
  [7, 3],
  [6, 4],
  [5, 13],
  [3001, 2],
]) {
  const labels = Array.from({ length: batch }, (_, i) => (i * i + 1) % classes);
  const ones = Array(classes).fill(1);
  checkOp(`softmaxCrossEntropy of ${batch} rows, ${classes} classes`, {
    inputs: { logits: { shape: [batch, classes] } },
    op: (tape, { logits }) => softmaxCrossEntropy(tape, logits, labels),
    reference: ({ logits }) => reference.softmaxCrossEntropy(logits, labels, ones),
  });
  const classWeights = ones.map((_, c) => 0.25 + c);
  checkOp(`softmaxCrossEntropy of ${batch} rows, ${classes} classes, weighted`, {
    inputs: { logits: { shape: [batch, classes] } },
    op: (tape, { logits }) => softmaxCrossEntropy(tape, logits, labels, { classWeights }),
    reference: ({ logits }) => reference.softmaxCrossEntropy(logits, labels, classWeights),
  });
}

describe('softmaxCrossEntropy', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('stays finite and exact where the exponential overflows or vanishes', () => {
    const logits = engine.parameter([3, 2], [1e4, 0, -1e4, 1e4, 12345.25, 12345.25]);
    const loss = softmaxCrossEntropy(tape, logits, [1, 1, 0]);
    expect(loss.item()).toBeCloseTo((1e4 + 0 + Math.log(2)) / 3, 2);
    tape.backward(loss);
    [1, -1, 0, 0, -0.5, 0.5].forEach((slope, i) => {
      expect(logits.gradient[i]).toBeCloseTo(slope / 3, 6);
    });
  });

  it('weights the mean by the weights of the labels, as PyTorch does', () => {
    // torch.nn.functional.cross_entropy(torch.tensor([[0., 1.], [2., 0.]]), torch.tensor([0, 1]), torch.tensor([1., 3.]))
    const logits = engine.buffer([2, 2], [0, 1, 2, 0]);
    expect(softmaxCrossEntropy(tape, logits, [0, 1], { classWeights: [1, 3] }).item()).toBeCloseTo(1.9235115, 6);
  });

  it('refuses labels that name no class', () => {
    const logits = engine.buffer([3, 2]);
    const labelled = (...labels: number[]) => softmaxCrossEntropy(tape, logits, labels);
    expect(() => labelled(0, 1, 2)).toThrow(
      'softmaxCrossEntropy label of row 2: must be an integer from 0 to 1, got 2',
    );
    expect(() => labelled(0, -1, 1)).toThrow('label of row 1: must be an integer from 0 to 1, got -1');
    expect(() => labelled(0.5, 1, 1)).toThrow('label of row 0: must be an integer from 0 to 1, got 0.5');
    expect(() => labelled(0, 1)).toThrow(
      'softmaxCrossEntropy labels: there must be 3, one per row of the logits, got 2',
    );
  });

  it('refuses weights that are not positive, one per class', () => {
    const logits = engine.buffer([1, 2]);
    const weighted = (...classWeights: number[]) => softmaxCrossEntropy(tape, logits, [0], { classWeights });
    expect(() => weighted(1, 0)).toThrow('softmaxCrossEntropy weight of class 1: must be positive and finite, got 0');
    expect(() => weighted(Number.NaN, 1)).toThrow('weight of class 0: must be positive and finite, got NaN');
    expect(() => weighted(1)).toThrow('softmaxCrossEntropy classWeights: there must be 2, one per class, got 1');
  });

  it('refuses an empty batch and logits that are no matrix', () => {
    expect(() => softmaxCrossEntropy(tape, engine.buffer([0, 2]), [])).toThrow(
      'softmaxCrossEntropy logits: must have at least one row, got 0',
    );
    expect(() => softmaxCrossEntropy(tape, engine.buffer([2]), [0])).toThrow(
      'softmaxCrossEntropy logits: shape must be [batch, classes], got [2]',
    );
  });
});
