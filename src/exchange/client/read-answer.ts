// [wire] Checks that the fields of a coordinator's answer that the client acts on are there and of their type.
import { F3Error } from '../../errors.ts';

const TESTS = {
  text: (value: unknown) => typeof value === 'string',
  'text or null': (value: unknown) => typeof value === 'string' || value === null,
  count: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0,
  list: Array.isArray,
  'group of fields': (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
} as const;

export type FieldKind = keyof typeof TESTS;

/** `what` stands in the message: `answer to enrolment`. Other fields are not looked at. */
export function readAnswer<T>(answer: unknown, fields: Record<string, FieldKind>, what: string): T {
  const values = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  for (const [name, kind] of Object.entries(fields)) {
    if (TESTS[kind](values[name])) continue;
    const found = JSON.stringify(values[name])?.slice(0, 80) ?? 'nothing';
    throw new F3Error('F3_CLIENT_RESPONSE', `answer to ${what}: ${name} must be a ${kind}, got ${found}`);
  }
  return values as T;
}

/** The answer is a bare list, or has one under `name`. */
export function listOf<T>(answer: unknown, name: string, what: string): T[] {
  if (Array.isArray(answer)) return answer;
  return readAnswer<Record<string, T[]>>(answer, { [name]: 'list' }, what)[name];
}
