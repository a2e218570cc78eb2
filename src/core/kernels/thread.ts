// Which thread this instance belongs to: picks its part of the per-thread scratch memory.
export let thread: i32 = 0;

export function setThread(index: i32): void {
  thread = index;
}
