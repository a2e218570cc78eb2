// [owner] [entity] [coordinator] Shamir's scheme (1979): a number is f(0) of a random polynomial of degree t over the field, entity j holds f(j).
// Any t entities see uniform numbers; t + 1 reconstruct. A product of two shares is of degree 2t, hence m ≥ 2t + 1.
import { inverse, modulo } from '../core/reference/field.ts';
import { F3Error } from '../errors.ts';

/** More entities than anybody runs; the sets of pseudorandom sharing grow fast with them. */
const MOST_ENTITIES = 13;

/** Which numbers of entities share and reconstruct. Entities are numbered from 1, and entity j stands at the point j. */
export class Scheme {
  /** t: so many entities together learn nothing. */
  readonly threshold: number;
  /** m */
  readonly entities: number;
  /** Every set of m − t entities, each in ascending order: at least one of them is missed by any t entities. */
  readonly sets: readonly (readonly number[])[];

  constructor(threshold: number, entities: number) {
    const isWhole = Number.isInteger(threshold) && Number.isInteger(entities);
    if (!isWhole || threshold < 1 || entities < 2 * threshold + 1 || entities > MOST_ENTITIES) {
      const rule = `needs a threshold of at least 1 and from 2·threshold + 1 to ${MOST_ENTITIES} entities`;
      throw new F3Error('F3_SHARES_SCHEME', `sharing: ${rule}, got threshold ${threshold} of ${entities} entities`);
    }
    this.threshold = threshold;
    this.entities = entities;
    this.sets = subsets(entities, entities - threshold);
  }

  /** Sets that an entity is in, by their index in `sets`. */
  setsOf(entity: number): number[] {
    return [...this.sets.keys()].filter((index) => this.sets[index].includes(entity));
  }

  /** f(j) of the polynomial of degree t with f(0) = 1 that is 0 at every entity outside the set. */
  setValue(index: number, entity: number): bigint {
    const inside = this.sets[index];
    let value = 1n;
    for (let other = 1; other <= this.entities; other++) {
      if (inside.includes(other)) continue;
      value = modulo(value * BigInt(other - entity) * inverse(BigInt(other)));
    }
    return value;
  }

  /**
   * Factors c_1 … c_t of random numbers ρ_l such that Σ c_l·ρ_l are shares of 0 of degree 2t, uniform to anybody outside the set: jˡ·Π (k − j) over
   * entities k outside. They are small where f(j) is not, which makes products cheap.
   */
  zeroFactors(index: number, entity: number): bigint[] {
    const inside = this.sets[index];
    let value = 1n;
    for (let other = 1; other <= this.entities; other++) {
      if (!inside.includes(other)) value *= BigInt(other - entity);
    }
    return Array.from({ length: this.threshold }, (_, l) => modulo(value * BigInt(entity) ** BigInt(l + 1)));
  }

  /** Weights with which values at these entities' points add up to the value at `point`. */
  weights(entities: readonly number[], point = 0): bigint[] {
    return entities.map((entity) => {
      let weight = 1n;
      for (const other of entities) {
        if (other !== entity) weight = modulo(weight * BigInt(point - other) * inverse(modulo(BigInt(entity - other))));
      }
      return weight;
    });
  }
}

function subsets(entities: number, size: number, from = 1): number[][] {
  if (size === 0) return [[]];
  const found: number[][] = [];
  for (let first = from; first <= entities - size + 1; first++) {
    for (const rest of subsets(entities, size - 1, first + 1)) found.push([first, ...rest]);
  }
  return found;
}
