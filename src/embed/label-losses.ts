// [owner] The cross-entropy of every label under a local model's predictions, −ln p(label).
import { softmaxRows } from '../core/softmax-rows.ts';

/** Losses beyond this count as this: one sample that a model is sure and wrong about must not decide alone. */
const LARGEST_LOSS = 10;

/** logits: [sample, class], labels: [sample] → [sample] */
export function labelLosses(logits: Float32Array, labels: Int32Array): Float64Array {
  const classes = logits.length / labels.length;
  const probabilities = softmaxRows(logits, classes);
  return Float64Array.from(labels, (label, i) => Math.min(LARGEST_LOSS, -Math.log(probabilities[i * classes + label])));
}
