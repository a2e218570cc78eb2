// [coordinator] The coordinator's lines to the entities of one charter, and conversations over them.
import { randomBytes } from 'node:crypto';
import { type Charter, charterFingerprint } from '../charter.ts';
import { Conversation, PATIENCE_MS } from '../link/conversation.ts';
import { dial } from '../link/dial.ts';
import { type Heard, LINK_TIMES, type Link, type LinkTimes, type Said } from '../link/link.ts';
import type { CertifiedKey } from '../link/self-signed-certificate.ts';
import { COORDINATOR } from '../transport.ts';

export interface EntityLinesOptions {
  charter: Charter;
  certified: CertifiedKey;
  times?: LinkTimes | undefined;
  patience?: number | undefined;
}

/** Dials entities when they are needed. `close` ends all lines. */
export class EntityLines {
  readonly charter: Charter;
  readonly #options: EntityLinesOptions;
  readonly #lines = new Map<number, Link>();
  readonly #conversations = new Map<string, Conversation>();

  constructor(options: EntityLinesOptions) {
    this.charter = options.charter;
    this.#options = options;
  }

  /** Shows the entity the charter. It is served there once its operator has admitted it. */
  async show(entity: number): Promise<'proposed' | 'in use'> {
    const link = await this.#dial(entity);
    const { facts } = await link.ask('charter', { facts: { charter: this.charter } });
    if (facts.state !== 'in use') {
      link.close();
      return 'proposed';
    }
    await link.ask('hello', { facts: { charter: charterFingerprint(this.charter) } });
    this.#lines.get(entity)?.close('a newer line took its place');
    this.#lines.set(entity, link);
    return 'in use';
  }

  /** Over the line that stands, or a new one. */
  async ask(entity: number, what: string, said: Said): Promise<Heard> {
    return (await this.#line(entity)).ask(what, said);
  }

  /** A conversation with these entities, told to each of them with what it is for. */
  async converse(active: readonly number[], about: Record<string, unknown>, bytes?: Uint8Array): Promise<Conversation> {
    const begun = await this.#begin(active, about, bytes);
    if (begun instanceof Conversation) return begun;
    throw begun.failed[0];
  }

  /**
   * A conversation with all entities that are there and can do what it is for. 2t + 1 of them suffice, since products of shares have
   * degree 2t; where they are fewer, it throws what is wrong with the first of the others.
   */
  async conversePresent(
    about: Record<string, unknown>,
    bytes?: Uint8Array,
  ): Promise<{ conversation: Conversation; active: number[] }> {
    const { threshold, entities } = this.charter;
    const all = entities.map((_, i) => i + 1);
    let { done: active, failed } = await settled(all, (entity) => this.#line(entity));
    while (active.length > 2 * threshold) {
      const begun = await this.#begin(active, about, bytes);
      if (begun instanceof Conversation) return { conversation: begun, active };
      ({ done: active, failed } = begun);
    }
    throw failed[0];
  }

  end({ id }: Conversation): void {
    this.#conversations.delete(id);
  }

  close(): void {
    for (const link of this.#lines.values()) link.close('the coordinator ended it');
    this.#lines.clear();
  }

  /** The conversation, or who would have taken part in it and why the others did not. */
  async #begin(
    active: readonly number[],
    about: Record<string, unknown>,
    bytes: Uint8Array | undefined,
  ): Promise<Conversation | Settled> {
    const { patience = PATIENCE_MS } = this.#options;
    const conversation = new Conversation(COORDINATOR, randomBytes(16).toString('hex'), patience);
    this.#conversations.set(conversation.id, conversation);
    const { done, failed } = await settled(active, async (entity) => {
      const link = await this.#line(entity);
      conversation.use(entity, link);
      await link.ask('converse', { facts: { ...about, conversation: conversation.id, active }, bytes });
    });
    if (failed.length === 0) return conversation;
    this.end(conversation);
    this.close(); // entities that have begun would wait for us
    return { done, failed };
  }

  async #line(entity: number): Promise<Link> {
    const before = this.#lines.get(entity);
    if (before?.isOpen) return before;
    const link = await this.#dial(entity);
    await link.ask('hello', { facts: { charter: charterFingerprint(this.charter) } });
    this.#lines.set(entity, link);
    return link;
  }

  #dial(entity: number): Promise<Link> {
    const { certified, times = LINK_TIMES } = this.#options;
    return dial(this.charter.entities[entity - 1], {
      name: `entity ${entity}`,
      certified,
      times,
      handlers: {
        message: (id, tag, bytes) => this.#conversations.get(id)?.deliver(entity, tag, bytes),
        closed: (reason) => {
          for (const conversation of this.#conversations.values()) conversation.lose(entity, reason);
        },
      },
    });
  }
}

interface Settled {
  /** Entities with which it went well. */
  done: number[];
  /** What was wrong with the others. */
  failed: Error[];
}

async function settled(entities: readonly number[], act: (entity: number) => Promise<unknown>): Promise<Settled> {
  const outcomes = await Promise.allSettled(entities.map(act));
  return {
    done: entities.filter((_, i) => outcomes[i].status === 'fulfilled'),
    failed: outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : [])),
  };
}
