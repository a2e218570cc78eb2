// Probabilities of finished predictions: the softmax of each row, in float64 and outside the tape.

/** logits: [row, class] → probabilities [row, class] */
export function softmaxRows(logits: Float32Array, classes: number): Float64Array {
  const probabilities = new Float64Array(logits.length);
  for (let start = 0; start < logits.length; start += classes) {
    const row = logits.subarray(start, start + classes);
    const max = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const total = row.reduce((sum, value) => sum + Math.exp(value - max), 0);
    row.forEach((value, c) => {
      probabilities[start + c] = Math.exp(value - max) / total;
    });
  }
  return probabilities;
}
