// [coordinator] Numbers of a JSON body as float32, checked one by one: a schema library takes ten times as long.
import { F3Error } from '../../errors.ts';

/** Messages call the list `name`. */
export function floatValues(numbers: unknown, name: string): Float32Array {
  if (!Array.isArray(numbers)) throw refusal(name, numbers);
  const values = new Float32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const value: unknown = numbers[i];
    if (typeof value !== 'number') throw refusal(name, value);
    values[i] = value;
  }
  return values;
}

const refusal = (name: string, found: unknown) =>
  new F3Error('F3_REQUEST', `${name}: must be a list of numbers, got ${found === null ? 'null' : `a ${typeof found}`}`);
