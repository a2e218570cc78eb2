// Reference of kernels/histogram-splits.ts in float64: every boundary of a feature tried on the samples themselves.

export interface SplitSamples {
  /** [sample]: bin of the feature, `missing` where the value is missing */
  bins: ArrayLike<number>;
  missing: number;
  gradients: ArrayLike<number>;
  hessians: ArrayLike<number>;
}

/** Gain of sending bins up to `bin`, and missing values if `missingLeft`, to the left; nothing if a side is too small. */
export function splitGain(
  { bins, missing, gradients, hessians }: SplitSamples,
  bin: number,
  missingLeft: boolean,
  { l2, leastSamples }: { l2: number; leastSamples: number },
): number | undefined {
  const sides = [
    { count: 0, gradient: 0, hessian: 0 },
    { count: 0, gradient: 0, hessian: 0 },
  ];
  for (let s = 0; s < bins.length; s++) {
    const goesLeft = bins[s] === missing ? missingLeft : bins[s] <= bin;
    const side = sides[goesLeft ? 0 : 1];
    side.count++;
    side.gradient += gradients[s];
    side.hessian += hessians[s];
  }
  if (sides.some(({ count, hessian }) => count < leastSamples || hessian < 1e-3)) return undefined;
  const worth = (gradient: number, hessian: number) => gradient ** 2 / (hessian + l2);
  const [left, right] = sides;
  const whole = worth(left.gradient + right.gradient, left.hessian + right.hessian);
  return worth(left.gradient, left.hessian) + worth(right.gradient, right.hessian) - whole;
}
