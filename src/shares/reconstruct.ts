// [entity] [coordinator] Reconstructs opened numbers from the entities' shares, and finds the entity whose shares do not fit the others'.
import { modulo } from '../core/reference/field.ts';
import { F3Error } from '../errors.ts';
import type { Field, Numbers } from './field.ts';
import type { Scheme } from './scheme.ts';

/** The shares of one entity. */
export interface EntityShares {
  entity: number;
  shares: Numbers;
}

/**
 * f(0) of polynomials of `degree`, from at least degree + 1 entities. With one more, shares that do not fit are noticed; with
 * two more, the entity that sent them is named. With exactly degree + 1, any shares fit, so nothing can be noticed.
 */
export function reconstruct(
  field: Field,
  scheme: Scheme,
  parts: readonly EntityShares[],
  degree: number,
  what: string,
): Numbers {
  if (parts.length <= degree) {
    const rule = `${degree + 1} entities must answer`;
    throw new F3Error('F3_SHARES_MISSING', `opening of ${what}: ${rule}, got ${parts.length}`);
  }
  const basis = parts.slice(0, degree + 1);
  const rest = parts.slice(degree + 1);
  const fits = rest.every(({ entity, shares }) => isEqual(field, valueAt(field, scheme, basis, entity), shares));
  if (!fits) throw wrongShares(field, scheme, parts, degree, what);
  return valueAt(field, scheme, basis, 0);
}

/** The polynomials through these points, at `point`. */
function valueAt(field: Field, scheme: Scheme, basis: readonly EntityShares[], point: number): Numbers {
  const weights = scheme.weights(
    basis.map(({ entity }) => entity),
    point,
  );
  const value = field.temporary(basis[0].shares.count);
  basis.forEach(({ shares }, i) => {
    field.scale(modulo(weights[i]), shares, value, { accumulate: i > 0 });
  });
  return value;
}

const isEqual = (field: Field, a: Numbers, b: Numbers): boolean => Buffer.compare(field.bytes(a), field.bytes(b)) === 0;

/** Leaves out one entity after the other: the rest of a single liar fit each other, if enough are left to tell. */
function wrongShares(
  field: Field,
  scheme: Scheme,
  parts: readonly EntityShares[],
  degree: number,
  what: string,
): F3Error {
  const rule = `opening of ${what}: shares of all entities must lie on one polynomial`;
  const suspects = parts.filter((suspect) => {
    const others = parts.filter((part) => part !== suspect);
    const basis = others.slice(0, degree + 1);
    return others
      .slice(degree + 1)
      .every(({ entity, shares }) => isEqual(field, valueAt(field, scheme, basis, entity), shares));
  });
  if (suspects.length === 1) {
    return new F3Error('F3_SHARES_WRONG', `${rule}, but those of entity ${suspects[0].entity} do not`);
  }
  const found = `they do not, and ${parts.length} entities are too few to tell whose are wrong`;
  return new F3Error('F3_SHARES_WRONG', `${rule}; ${found}`);
}
