// L = Σ_i w_{y_i} · −log softmax(x_i)_{y_i} / Σ_i w_{y_i}

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CoreError, expectArgument, expectShape } from '../errors.ts';
import { rowsPerTask } from './chunk.ts';

export interface CrossEntropyOptions {
  /** One positive weight per class; the mean is weighted by the labels' weights. Default: all equal. */
  classWeights?: ArrayLike<number> | undefined;
}

/** logits: [batch, classes], labels: [batch] class numbers → mean loss, a scalar [] */
export function softmaxCrossEntropy(
  tape: Tape,
  logits: Tensor,
  labels: ArrayLike<number>,
  options: CrossEntropyOptions = {},
): Tensor {
  const { engine } = tape;
  const { classWeights } = options;
  expectShape('softmaxCrossEntropy logits', logits.shape, ['batch', 'classes']);
  const [batch, classes] = logits.shape;
  expectArgument(batch > 0, 'softmaxCrossEntropy logits', 'must have at least one row', batch);
  expectLabels(labels, batch, classes);
  if (classWeights) expectWeights(classWeights, classes);

  const loss = tape.result([], [logits]);
  const labelsAt = tape.integers(labels);
  const weightsAt = classWeights ? tape.constant([classes], classWeights).address : 0;
  const probabilities = tape.scratch(batch * classes);
  const losses = tape.scratch(batch);
  const perTask = rowsPerTask(8 * classes);
  const tasks = Math.ceil(batch / perTask);
  const known = [labelsAt, weightsAt, probabilities] as const;
  engine.run('crossEntropyForward', tasks, perTask, batch, classes, logits.address, ...known, losses);

  let total = 0;
  let weight = 0;
  const perRow = engine.memory.floats(losses, batch);
  for (let i = 0; i < batch; i++) {
    total += perRow[i];
    weight += classWeights ? classWeights[labels[i]] : 1;
  }
  loss.data[0] = total / weight;
  tape.record(loss, () => {
    const scale = loss.gradient[0] / weight;
    engine.run('crossEntropyBackward', tasks, perTask, batch, classes, scale, ...known, logits.gradientAddress);
  });
  return loss;
}

function expectLabels(labels: ArrayLike<number>, batch: number, classes: number): void {
  const fits = labels.length === batch;
  expectArgument(
    fits,
    'softmaxCrossEntropy labels',
    `there must be ${batch}, one per row of the logits`,
    labels.length,
  );
  for (let i = 0; i < batch; i++) {
    const label = labels[i];
    if (Number.isInteger(label) && label >= 0 && label < classes) continue;
    const rule = `must be an integer from 0 to ${classes - 1}`;
    throw new CoreError('F3_ARGUMENT', `softmaxCrossEntropy label of row ${i}: ${rule}, got ${label}`);
  }
}

function expectWeights(weights: ArrayLike<number>, classes: number): void {
  const fits = weights.length === classes;
  expectArgument(fits, 'softmaxCrossEntropy classWeights', `there must be ${classes}, one per class`, weights.length);
  for (let c = 0; c < classes; c++) {
    const positive = weights[c] > 0 && Number.isFinite(weights[c]);
    expectArgument(positive, `softmaxCrossEntropy weight of class ${c}`, 'must be positive and finite', weights[c]);
  }
}
