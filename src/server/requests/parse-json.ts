// [coordinator] JSON of a request, of which every text can be stored.
import { F3Error } from '../../errors.ts';

/** JSON can spell the character NUL and halves of UTF-16 surrogate pairs, which a database cannot store as text. */
const UNKEEPABLE = /\\u(0000|[dD][89a-fA-F])/;

/** Undefined for no text at all. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString();
  if (text === '') return undefined;
  const value = parsed(text);
  if (UNKEEPABLE.test(text)) requireKeepable(value);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new F3Error('F3_REQUEST', 'request: body must be JSON, got something else');
  }
}

/** Looks at every name and text, without calling itself: values may be nested a million times. */
function requireKeepable(value: unknown): void {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') requireWhole(next);
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const name of Object.keys(next)) requireWhole(name);
    for (const each of Array.isArray(next) ? next : Object.values(next)) open.push(each);
  }
}

function requireWhole(text: string): void {
  if (text.includes('\0')) throw new F3Error('F3_REQUEST', 'request: texts must not hold the character NUL');
  if (!text.isWellFormed()) {
    throw new F3Error('F3_REQUEST', 'request: texts must hold whole characters, got half of one');
  }
}
