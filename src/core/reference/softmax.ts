// Reference of ops/softmax.ts and ops/softmax-cross-entropy.ts in float64.

/** logits: [rows, classes] → log-probabilities [rows, classes] */
export function logSoftmax(logits: Float64Array, classes: number): Float64Array {
  const out = new Float64Array(logits.length);
  for (let start = 0; start < logits.length; start += classes) {
    const row = logits.subarray(start, start + classes);
    const largest = Math.max(...row);
    const sum = row.reduce((total, value) => total + Math.exp(value - largest), 0);
    for (let c = 0; c < classes; c++) out[start + c] = row[c] - largest - Math.log(sum);
  }
  return out;
}

/** logits: [rows, classes] → probabilities [rows, classes] */
export function softmax(logits: Float64Array, classes: number): Float64Array {
  return logSoftmax(logits, classes).map(Math.exp);
}

/** logits: [rows, classes], labels: [rows], weights: [classes] → the weighted mean loss */
export function softmaxCrossEntropy(
  logits: Float64Array,
  labels: ArrayLike<number>,
  weights: ArrayLike<number>,
): Float64Array {
  const classes = weights.length;
  const logs = logSoftmax(logits, classes);
  let total = 0;
  let weight = 0;
  for (let i = 0; i < labels.length; i++) {
    total -= weights[labels[i]] * logs[i * classes + labels[i]];
    weight += weights[labels[i]];
  }
  return Float64Array.of(total / weight);
}
