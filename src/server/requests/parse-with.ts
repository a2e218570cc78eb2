// [coordinator] Checks what was parsed by hand against a schema, and says of the first few mistakes what they are.
import type { z } from 'zod';
import { F3Error } from '../../errors.ts';

/** A body may hold a mistake in every place; nobody reads more than a few. */
const MOST_TOLD = 5;
const LONGEST = 300;

export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const mistakes = error?.issues ?? [];
  throw new F3Error('F3_REQUEST', `request: ${describeMistakes(mistakes, ({ path }) => path.join('.') || 'body')}`);
}

/** `placeOf` says where in the request a mistake is. */
export function describeMistakes<T extends { message?: string | undefined }>(
  mistakes: readonly T[],
  placeOf: (mistake: T) => string,
): string {
  const told = mistakes.slice(0, MOST_TOLD).map((mistake) => cut(`${placeOf(mistake)} ${mistake.message ?? ''}`));
  const more = mistakes.length - told.length;
  return `${told.join(', ')}${more > 0 ? `, and ${more} more mistakes` : ''}`;
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
