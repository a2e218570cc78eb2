// [owner] [entity] Real numbers to shares and back, in one call each: fixed point, Shamir's scheme, and what is wrong with shares that do not fit.
import { Engine } from '../core/engine/engine.ts';
import { F3Error } from '../errors.ts';
import { Field, NUMBER_BYTES } from './field.ts';
import { FRACTION_BITS, fromFixedPoint, toFixedPoint } from './fixed-point.ts';
import { reconstruct } from './reconstruct.ts';
import type { Scheme } from './scheme.ts';
import { splitNumbers } from './split-numbers.ts';

/**
 * The share of each entity, entity 1 first: as many numbers of 16 bytes as there are values. Any `scheme.threshold` of them are uniform
 * random numbers. Values are finite, below 2^16 in magnitude, and kept to 24 bits after the point.
 */
export async function shareNumbers(scheme: Scheme, values: ArrayLike<number>): Promise<Uint8Array[]> {
  const numbers = toFixedPoint(values, 'numbers');
  return withField((field) => splitNumbers(field, scheme, numbers));
}

/**
 * The numbers behind shares, by the entity that holds them: `scheme.threshold` + 1 of them, or more. With one more, shares that do not fit are
 * noticed; with two more, the entity is named.
 */
export async function openNumbers(scheme: Scheme, shares: ReadonlyMap<number, Uint8Array>): Promise<Float64Array> {
  const held = [...shares].sort(([a], [b]) => a - b);
  const size = held[0]?.[1].length ?? 0;
  for (const [entity, { length }] of held) {
    if (!Number.isInteger(entity) || entity < 1 || entity > scheme.entities) {
      throw new F3Error('F3_ARGUMENT', `shares: entities must be from 1 to ${scheme.entities}, got ${entity}`);
    }
    if (length !== size || length % NUMBER_BYTES !== 0) {
      const rule = `must be as long as the others and of numbers of ${NUMBER_BYTES} bytes`;
      throw new F3Error('F3_ARGUMENT', `share of entity ${entity}: ${rule}, got ${length} bytes`);
    }
  }
  return withField((field) => {
    const parts = held.map(([entity, bytes]) => ({ entity, shares: field.load(bytes) }));
    return fromFixedPoint(field.bytes(reconstruct(field, scheme, parts, scheme.threshold, 'numbers')), FRACTION_BITS);
  });
}

async function withField<T>(act: (field: Field) => T): Promise<T> {
  const engine = new Engine({ threads: 1 });
  try {
    return act(new Field(engine));
  } finally {
    await engine.dispose();
  }
}
