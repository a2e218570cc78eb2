// [coordinator] ROC and precision–recall curves of one class against all others, as few points as a figure needs.

/** [x, y] */
export type PlanePoint = [number, number];

export interface ClassCurves {
  /** [false positive rate, true positive rate], from (0, 0) to (1, 1). */
  roc: PlanePoint[];
  /** [recall, precision], by rising recall. */
  pr: PlanePoint[];
}

/** scores: [sample], isPositive: [sample]. Both curves are empty where there is only one class. */
export function classCurves(scores: ArrayLike<number>, isPositive: ArrayLike<boolean>, most = 200): ClassCurves {
  const order = Uint32Array.from({ length: scores.length }, (_, i) => i).sort((a, b) => scores[b] - scores[a]);
  const positives = Array.from(isPositive).filter(Boolean).length;
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return { roc: [], pr: [] };
  const roc: PlanePoint[] = [[0, 0]];
  const pr: PlanePoint[] = [];
  let [right, wrong] = [0, 0];
  order.forEach((sample, i) => {
    if (isPositive[sample]) right++;
    else wrong++;
    // Samples of the same score are told apart by nobody, so they make one point.
    if (i + 1 < order.length && scores[order[i + 1]] === scores[sample]) return;
    roc.push([wrong / negatives, right / positives]);
    pr.push([right / positives, right / (right + wrong)]);
  });
  return { roc: thinned(roc, most), pr: thinned(pr, most) };
}

/** The first and the last point stay. */
function thinned(points: PlanePoint[], most: number): PlanePoint[] {
  if (points.length <= most) return points;
  return Array.from({ length: most }, (_, i) => points[Math.round((i * (points.length - 1)) / (most - 1))]);
}

/**
 * A curve at a few fixed places x: of one that rises, such as ROC, the highest y up to each place; of one that falls, such as
 * precision over recall, the highest from it on.
 */
export function atPlaces(
  points: readonly PlanePoint[],
  places: readonly number[],
  course: 'rising' | 'falling' = 'rising',
): PlanePoint[] {
  const counts = (at: number, x: number) => (course === 'rising' ? at <= x : at >= x);
  return places.map((x) => [x, points.reduce((most, [at, y]) => (counts(at, x) ? Math.max(most, y) : most), 0)]);
}
