// The thread that this instance belongs to, which decides its part of the per-thread scratch memory.
export let thread: i32 = 0;

export function setThread(index: i32): void {
  thread = index;
}
