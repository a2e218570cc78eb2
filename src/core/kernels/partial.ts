// Vectors of which only the first lanes count: the ends of rows whose length is no multiple of four.

const LANES = memory.data<i32>([-1, -1, -1, -1, 0, 0, 0, 0]);

/** All bits set in the first `count` lanes, none in the others. */
// @ts-ignore: decorator
@inline
export function firstLanes(count: i32): v128 {
  return v128.load(LANES + (<usize>(4 - min(count, 4)) << 2));
}

/** Stores the first `count` lanes. */
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
