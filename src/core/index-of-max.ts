// Position of the largest number, which is how a class is chosen.

/** Looks at `length` numbers from `start` on. The position is counted from `start`; among equals it is the first. */
export function indexOfMax(values: ArrayLike<number>, start = 0, length = values.length - start): number {
  let best = 0;
  for (let i = 1; i < length; i++) if (values[start + i] > values[start + best]) best = i;
  return best;
}
