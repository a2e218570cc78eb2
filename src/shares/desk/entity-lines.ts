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
    const conversation = new Conversation(
      COORDINATOR,
      randomBytes(16).toString('hex'),
      this.#options.patience ?? PATIENCE_MS,
    );
    this.#conversations.set(conversation.id, conversation);
    try {
      await Promise.all(
        active.map(async (entity) => {
          const link = await this.#line(entity);
          conversation.use(entity, link);
          await link.ask('converse', { facts: { ...about, conversation: conversation.id, active }, bytes });
        }),
      );
      return conversation;
    } catch (error) {
      this.end(conversation);
      this.close(); // entities that have begun would wait for us
      throw error;
    }
  }

  end({ id }: Conversation): void {
    this.#conversations.delete(id);
  }

  close(): void {
    for (const link of this.#lines.values()) link.close('the coordinator ended it');
    this.#lines.clear();
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
