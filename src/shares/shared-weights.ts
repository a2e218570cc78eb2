// [entity] An entity's shares of the weights, of their velocities and of the best weights so far, and their checkpoint.
import { F3Error } from '../errors.ts';
import { type Field, NUMBER_BYTES, type Numbers } from './field.ts';
import { toFixedPoint } from './fixed-point.ts';
import { decodeMessage, encodeMessage } from './message.ts';
import { type SharedShape, weightSizes } from './shared-shape.ts';

interface SharedWeight {
  now: Numbers;
  velocity: Numbers;
  best: Numbers;
}

/** One entity's shares of a model. */
export class SharedWeights {
  readonly shape: SharedShape;
  readonly #field: Field;
  readonly #weights = new Map<string, SharedWeight>();
  #projections: Numbers | undefined;
  /** Training steps done. */
  steps = 0;

  /** `start`: public first values by name; a public number is its own share. */
  constructor(field: Field, shape: SharedShape, start: Readonly<Record<string, ArrayLike<number>>>) {
    this.shape = shape;
    this.#field = field;
    for (const [name, size] of Object.entries(weightSizes(shape))) {
      const values = start[name];
      if (values?.length !== size) {
        const rule = `${name} must have ${size} first values`;
        throw new F3Error('F3_SHARES_MESSAGE', `model on shares: ${rule}, got ${values?.length ?? 'none'}`);
      }
      const [now, velocity, best] = [field.allocate(size), field.allocate(size), field.allocate(size)];
      field.bytes(now).set(toFixedPoint(values, name));
      this.#weights.set(name, { now, velocity, best });
    }
    this.keepBest();
  }

  at(name: string): Numbers {
    return this.#weight(name).now;
  }

  velocity(name: string): Numbers {
    return this.#weight(name).velocity;
  }

  /** W0ᵀP_i [owner, h, d] of the weights as they are, if they were kept. */
  get projections(): Numbers | undefined {
    return this.#projections;
  }

  /** Keeps W0ᵀP_i until the weights change, so that predictions need not open them again. */
  keepProjections(projections: Numbers): void {
    this.#forgetProjections();
    this.#projections = this.#field.allocate(projections.count);
    this.#field.bytes(this.#projections).set(this.#field.bytes(projections));
  }

  /** velocity = next, weight −= next */
  update(name: string, next: Numbers): void {
    const { now, velocity } = this.#weight(name);
    this.#forgetProjections();
    this.#field.bytes(velocity).set(this.#field.bytes(next));
    this.#field.subtract(now, next, now);
  }

  keepBest(): void {
    for (const { now, best } of this.#weights.values()) this.#field.bytes(best).set(this.#field.bytes(now));
  }

  useBest(): void {
    this.#forgetProjections();
    for (const { now, best } of this.#weights.values()) this.#field.bytes(now).set(this.#field.bytes(best));
  }

  /** All that it takes to go on to the same bits. `about` names the training. */
  checkpoint(about: string): Uint8Array<ArrayBuffer> {
    const arrays = Object.fromEntries(
      [...this.#weights].flatMap(([name, parts]) =>
        Object.entries(parts).map(([part, numbers]) => [`${name}.${part}`, this.#field.copy(numbers)]),
      ),
    );
    return encodeMessage({ facts: { about, steps: this.steps, shape: this.shape }, arrays });
  }

  restore(bytes: Uint8Array, about: string, steps: number): void {
    const { facts, arrays } = decodeMessage<{ about: string; steps: number }>(bytes, 'checkpoint of shares');
    if (facts.about !== about || facts.steps !== steps) {
      const rule = `must be of ${about} after step ${steps}`;
      throw new F3Error(
        'F3_SHARES_STATE',
        `checkpoint of shares: ${rule}, got ${facts.about} after step ${facts.steps}`,
      );
    }
    this.#forgetProjections();
    for (const [name, parts] of this.#weights) {
      for (const [part, numbers] of Object.entries(parts) as [string, Numbers][]) {
        const stored = arrays[`${name}.${part}`];
        if (stored?.length !== numbers.count * NUMBER_BYTES) {
          const rule = `${name}.${part} must have ${numbers.count} numbers`;
          throw new F3Error('F3_SHARES_STATE', `checkpoint of shares: ${rule}, got another`);
        }
        this.#field.bytes(numbers).set(stored as Uint8Array);
      }
    }
    this.steps = facts.steps;
  }

  dispose(): void {
    this.#forgetProjections();
    for (const { now, velocity, best } of this.#weights.values()) {
      for (const numbers of [now, velocity, best]) this.#field.free(numbers);
    }
    this.#weights.clear();
  }

  #forgetProjections(): void {
    if (this.#projections) this.#field.free(this.#projections);
    this.#projections = undefined;
  }

  #weight(name: string): SharedWeight {
    const weight = this.#weights.get(name);
    if (!weight) throw new Error(`model on shares: has no ${name}`);
    return weight;
  }
}
