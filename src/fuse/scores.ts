// [coordinator] Accuracy, F1 of class 1 and area under the ROC curve, for two classes.

export interface BinaryScores {
  accuracy: number;
  /** F1 of class 1; 0 when nothing is predicted or labelled 1. */
  f1: number;
  auc: number;
}

/** probabilities: [sample] of class 1, labels: [sample] in {0, 1} */
export function binaryScores(probabilities: ArrayLike<number>, labels: ArrayLike<number>): BinaryScores {
  let right = 0;
  let hits = 0;
  let predicted = 0;
  let positive = 0;
  for (let i = 0; i < labels.length; i++) {
    const says = probabilities[i] > 0.5 ? 1 : 0;
    if (says === labels[i]) right++;
    hits += says & labels[i];
    predicted += says;
    positive += labels[i];
  }
  const f1 = predicted + positive === 0 ? 0 : (2 * hits) / (predicted + positive);
  return { accuracy: right / labels.length, f1, auc: rocAuc(probabilities, labels) };
}

/** Chance that a positive outranks a negative, ties counting half; NaN when a class is empty. */
export function rocAuc(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  const order = Array.from({ length: labels.length }, (_, i) => i).sort((a, b) => scores[a] - scores[b]);
  let positives = 0;
  let rankSum = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && scores[order[end]] === scores[order[start]]) end++;
    const rank = (start + end + 1) / 2;
    for (let i = start; i < end; i++) {
      if (labels[order[i]] === 1) {
        positives++;
        rankSum += rank;
      }
    }
    start = end;
  }
  const negatives = labels.length - positives;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
