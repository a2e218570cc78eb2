// Refuses fields that nobody would read. TypeScript does so by itself; from JavaScript `epochs` beside `config` would pass unheard.
import { F3Error } from '../errors.ts';

/** Every field of a type, so that the compiler asks for one that is added later. */
export type FieldsOf<Type> = Record<keyof Type, true>;

export function requireFields<Type extends object>(
  thing: string,
  given: Partial<Type>,
  fields: FieldsOf<Required<Type>>,
): void {
  if (typeof given !== 'object' || given === null) {
    throw new F3Error('F3_ARGUMENT', `${thing}: must be an object, got ${JSON.stringify(given)}`);
  }
  const stray = Object.entries(given).find(([field, value]) => value !== undefined && !Object.hasOwn(fields, field));
  if (!stray) return;
  throw new F3Error('F3_ARGUMENT', `${thing}: fields must be among ${Object.keys(fields).join(', ')}; got ${stray[0]}`);
}
