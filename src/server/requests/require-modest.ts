// [coordinator] Refuses JSON of more values than any route without a reader of its own takes: checking and copying them takes time.
import { F3Error } from '../../errors.ts';

/** The longest embedding of a live sample has half as many. */
const MOST_VALUES = 200_000;

export function requireModest(value: unknown): unknown {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner = Array.isArray(next) ? next : Object.values(next);
    count += inner.length;
    if (count > MOST_VALUES) {
      throw new F3Error('F3_REQUEST', `request: body must have at most ${MOST_VALUES} values, got more`);
    }
    for (const each of inner) open.push(each);
  }
  return value;
}
