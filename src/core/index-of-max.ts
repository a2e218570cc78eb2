// Position of the largest of some numbers, the first of equals: how a class is chosen.

/** Among `length` numbers from `start`, counted from there. */
export function indexOfMax(values: ArrayLike<number>, start = 0, length = values.length - start): number {
  let best = 0;
  for (let i = 1; i < length; i++) if (values[start + i] > values[start + best]) best = i;
  return best;
}
