// Stores of vectors that may end inside a row.

/** Stores the first `count` lanes of `value`, all four when `count` is larger. `count` is at least 1. */
// @ts-ignore: decorator
@inline
export function storeUpTo(to: usize, value: v128, count: i32): void {
  if (count >= 4) {
    v128.store(to, value);
    return;
  }
  v128.store32_lane(to, value, 0);
  if (count > 1) v128.store32_lane(to, value, 1, 4);
  if (count > 2) v128.store32_lane(to, value, 2, 8);
}

/** `value` with zeros from lane `count` on: what lies past a row's end must not enter a sum. */
// @ts-ignore: decorator
@inline
export function keepUpTo(value: v128, count: i32): v128 {
  return count >= 4 ? value : v128.and(value, i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(count)));
}
