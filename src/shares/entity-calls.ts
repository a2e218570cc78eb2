// [coordinator] Commands to all entities: sent together, answered one by one, the first failure reported under the entity's name.
import { type ERRORS, errorCode, F3Error } from '../errors.ts';
import type { EntityCommand } from './entity-program.ts';
import { decodeMessage, encodeMessage, type Message } from './message.ts';
import type { Transport } from './transport.ts';

interface Answer {
  error?: { code: keyof typeof ERRORS; message: string };
  lines?: unknown;
}

const CHANGES_WEIGHTS: ReadonlySet<EntityCommand['kind']> = new Set(['open', 'step', 'use best', 'load']);

/** An entity that has nothing under that name. */
const MISSES: ReadonlySet<string | undefined> = new Set(['F3_SHARES_STATE', 'F3_SHARES_STORE']);

/** The coordinator's end of a conversation with the entities. */
export class EntityCalls {
  #entities: readonly number[];
  readonly #transport: Transport;
  readonly #channel: string;
  #number = 0;
  #projections: 'keep' | 'kept' = 'keep';

  constructor(transport: Transport, entities: readonly number[], channel: string) {
    this.#transport = transport;
    this.#entities = entities;
    this.#channel = channel;
  }

  /** Who takes part. */
  get entities(): readonly number[] {
    return this.#entities;
  }

  /** What a prediction says of W0ᵀP_i: the first after a change of the weights has them kept, later ones use them. */
  get projections(): 'keep' | 'kept' {
    return this.#projections;
  }

  /**
   * Every entity's answer, in the order of `entities`. `own` gives each entity arrays of its own. A second call must wait for the
   * first.
   */
  async call(
    facts: EntityCommand,
    arrays: Message['arrays'] = {},
    own: (entity: number) => Message['arrays'] = () => ({}),
  ): Promise<Message<Answer>[]> {
    const answers = await Promise.all(this.#send(facts, arrays, own));
    if (facts.kind === 'predict' && facts.projections) this.#projections = 'kept';
    return answers;
  }

  /**
   * The same for something that an entity may not have, because it was away when the others were given it: that entity takes no part
   * from here on, as long as `least` are left.
   */
  async callHolders(facts: EntityCommand, least: number, arrays: Message['arrays'] = {}): Promise<void> {
    const outcomes = await Promise.allSettled(this.#send(facts, arrays, () => ({})));
    const failures = outcomes.map((one) => (one.status === 'rejected' ? one.reason : undefined));
    const holders = this.#entities.filter((_, i) => failures[i] === undefined);
    const grave = failures.find((error) => error !== undefined && !MISSES.has(errorCode(error)));
    const first = grave ?? (holders.length < least ? failures.find((error) => error !== undefined) : undefined);
    if (first) throw first;
    for (const entity of this.#entities) if (!holders.includes(entity)) this.#sendTo(entity, { kind: 'end' });
    this.#entities = holders;
  }

  /** Every entity's answer, when it comes. */
  #send(
    facts: EntityCommand,
    arrays: Message['arrays'],
    own: (entity: number) => Message['arrays'],
  ): Promise<Message<Answer>>[] {
    if (CHANGES_WEIGHTS.has(facts.kind)) this.#projections = 'keep';
    for (const entity of this.#entities) this.#sendTo(entity, facts, { ...arrays, ...own(entity) });
    const number = this.#number++;
    return this.#entities.map(async (entity) => {
      const bytes = await this.#transport.receive(entity, `${this.#channel} answer ${number}`);
      const answer = decodeMessage<Answer>(bytes, `answer of entity ${entity}`);
      const { error } = answer.facts;
      if (error) throw new F3Error(error.code, `entity ${entity}: ${error.message}`);
      return answer;
    });
  }

  #sendTo(entity: number, facts: EntityCommand, arrays: Message['arrays'] = {}): void {
    this.#transport.send(entity, `${this.#channel} command ${this.#number}`, encodeMessage({ facts, arrays }));
  }
}
