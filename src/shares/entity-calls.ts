// [coordinator] Commands to all entities: sent together, answered one by one, the first failure reported under the entity's name.
import { type ERRORS, F3Error } from '../errors.ts';
import type { EntityCommand } from './entity-program.ts';
import { decodeMessage, encodeMessage, type Message } from './message.ts';
import type { Transport } from './transport.ts';

interface Answer {
  error?: { code: keyof typeof ERRORS; message: string };
  lines?: unknown;
}

const CHANGES_WEIGHTS: ReadonlySet<EntityCommand['kind']> = new Set(['open', 'step', 'use best', 'load']);

/** The coordinator's end of a conversation with the entities. */
export class EntityCalls {
  readonly entities: readonly number[];
  readonly #transport: Transport;
  readonly #channel: string;
  #number = 0;
  #projections: 'keep' | 'kept' = 'keep';

  constructor(transport: Transport, entities: readonly number[], channel: string) {
    this.#transport = transport;
    this.entities = entities;
    this.#channel = channel;
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
    const number = this.#number++;
    if (CHANGES_WEIGHTS.has(facts.kind)) this.#projections = 'keep';
    for (const entity of this.entities) {
      const bytes = encodeMessage({ facts, arrays: { ...arrays, ...own(entity) } });
      this.#transport.send(entity, `${this.#channel} command ${number}`, bytes);
    }
    const answers = await Promise.all(
      this.entities.map(async (entity) => {
        const bytes = await this.#transport.receive(entity, `${this.#channel} answer ${number}`);
        const answer = decodeMessage<Answer>(bytes, `answer of entity ${entity}`);
        const { error } = answer.facts;
        if (error) throw new F3Error(error.code, `entity ${entity}: ${error.message}`);
        return answer;
      }),
    );
    if (facts.kind === 'predict' && facts.projections) this.#projections = 'kept';
    return answers;
  }
}
