// [owner] The integration step: four to a cycle of the grid's 60 Hz.

export const HERTZ = 60;
export const STEPS_PER_CYCLE = 4;
export const STEPS_PER_SECOND = STEPS_PER_CYCLE * HERTZ;

/** Whole steps in `count` cycles. */
export function cycles(count: number): number {
  return Math.round(STEPS_PER_CYCLE * count);
}
