// [entity] One federation at one entity: its charter, the shares, the keys that it has in common with others, and the lines to them.
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';
import { type Charter, charterFingerprint } from '../charter.ts';
import { Conversation } from '../link/conversation.ts';
import { dial } from '../link/dial.ts';
import type { Link, LinkTimes } from '../link/link.ts';
import type { CertifiedKey } from '../link/self-signed-certificate.ts';
import { Scheme } from '../scheme.ts';
import { COORDINATOR } from '../transport.ts';
import { LedgerFile } from './ledger-file.ts';
import { LiveShares } from './live-shares.ts';
import { SetKeyAgreement } from './set-key-agreement.ts';
import { ShareStore } from './share-store.ts';
import { WeightFiles } from './weight-files.ts';

export interface EntityFederationOptions {
  charter: Charter;
  folder: string;
  /** Key id of this entity. */
  keyId: string;
  certified: CertifiedKey;
  times: LinkTimes;
  patience: number;
  /** Bytes that an owner may have here. */
  ownerBytes?: number | undefined;
}

/** Conversations that may wait for their beginning, or be under way. */
const MOST_CONVERSATIONS = 16;
/** Conversations that are over, whose late messages are dropped. */
const MOST_ENDED = 256;

/** Everything that an entity does in one federation. */
export class EntityFederation {
  readonly charter: Charter;
  readonly fingerprint: string;
  readonly scheme: Scheme;
  /** This entity's number. */
  readonly entity: number;
  readonly folder: string;
  readonly shares: ShareStore;
  readonly agreement: SetKeyAgreement;
  readonly live = new LiveShares();
  readonly ledger: LedgerFile;
  readonly weights: WeightFiles;
  readonly #options: EntityFederationOptions;
  /** Lines that other entities dialled. The coordinator may have several: for trainings, for predictions, for questions. */
  readonly #incoming = new Map<number, Link>();
  /** Lines that were dialled here, by entity. */
  readonly #outgoing = new Map<number, Link>();
  readonly #conversations = new Map<string, Conversation>();
  /** Those that have begun. */
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(options: EntityFederationOptions) {
    const { charter, folder, keyId } = options;
    this.#options = options;
    this.charter = charter;
    this.folder = folder;
    this.fingerprint = charterFingerprint(charter);
    this.scheme = new Scheme(charter.threshold, charter.entities.length);
    this.entity = charter.entities.findIndex((one) => one.keyId === keyId) + 1;
    if (this.entity === 0) {
      const rule = 'this entity must be in it';
      throw new F3Error('F3_SHARES_CHARTER', `charter of ${charter.federation}: ${rule}, got others only`);
    }
    this.shares = new ShareStore(folder, this.entity, options.ownerBytes);
    this.agreement = new SetKeyAgreement(join(folder, 'keys.json'), this.scheme, this.entity, this.fingerprint);
    this.ledger = new LedgerFile(join(folder, 'ledger.json'));
    this.weights = new WeightFiles(join(folder, 'weights'));
  }

  /** 0 for the coordinator, the number of an entity; undefined for whoever is neither. */
  partyOf(keyId: string): number | undefined {
    if (keyId === this.charter.coordinator) return COORDINATOR;
    const index = this.charter.entities.findIndex((one) => one.keyId === keyId);
    return index < 0 ? undefined : index + 1;
  }

  /** A party has dialled. The older line of an entity, if any, is of no use any more. */
  welcome(party: number, link: Link): void {
    if (party === COORDINATOR) return;
    const before = this.#incoming.get(party);
    this.#incoming.set(party, link);
    if (before && before !== link) before.close('a newer line took its place');
  }

  /** A line that a party dialled is gone. */
  dismiss(party: number, link: Link, reason: string): void {
    if (party === COORDINATOR) {
      for (const conversation of this.#conversations.values()) {
        if (conversation.uses(party, link)) conversation.lose(party, reason);
      }
      return;
    }
    if (this.#incoming.get(party) !== link) return;
    this.#incoming.delete(party);
    this.#lose(party, reason);
  }

  message(from: number, id: string, tag: string, bytes: Uint8Array): void {
    if (!this.#ended.has(id)) this.#conversation(id).deliver(from, tag, bytes);
  }

  /** Asks the other entities for their part of the keys, where it is missing. */
  async agree(): Promise<void> {
    await Promise.all(
      this.agreement.missing().map(async (peer) => {
        const link = await this.#line(peer);
        const { facts } = await link.ask('contribution', { facts: {} });
        this.agreement.take(peer, facts);
      }),
    );
  }

  /** Joins a conversation that the coordinator began, with lines to all entities of it. */
  async converse(id: string, active: readonly number[], coordinator: Link): Promise<Conversation> {
    const conversation = this.#conversation(id);
    this.#begun.add(id);
    conversation.use(COORDINATOR, coordinator);
    const others = active.filter((entity) => entity !== this.entity);
    const lines = await Promise.all(others.map((entity) => this.#line(entity)));
    for (const [i, entity] of others.entries()) conversation.use(entity, lines[i]);
    return conversation;
  }

  end(id: string): void {
    this.#conversations.delete(id);
    this.#begun.delete(id);
    if (this.#ended.size >= MOST_ENDED) this.#ended.delete([...this.#ended][0]);
    this.#ended.add(id);
  }

  close(): void {
    this.ledger.settle();
    for (const link of [...this.#outgoing.values(), ...this.#incoming.values()]) link.close('it ended');
  }

  #conversation(id: string): Conversation {
    const known = this.#conversations.get(id);
    if (known) return known;
    if (this.#conversations.size >= MOST_CONVERSATIONS) this.#dropUnbegun();
    if (this.#conversations.size >= MOST_CONVERSATIONS) {
      throw new F3Error('F3_SHARES_MESSAGE', `conversations: at most ${MOST_CONVERSATIONS} may be open, got another`);
    }
    const made = new Conversation(this.entity, id, this.#options.patience);
    this.#conversations.set(id, made);
    return made;
  }

  /** The oldest of which somebody spoke and that never began. */
  #dropUnbegun(): void {
    const stray = [...this.#conversations.keys()].find((id) => !this.#begun.has(id));
    if (stray !== undefined) this.#conversations.delete(stray);
  }

  #lose(party: number, reason: string): void {
    for (const conversation of this.#conversations.values()) conversation.lose(party, reason);
  }

  /** The line that was dialled here, or a new one. */
  async #line(peer: number): Promise<Link> {
    const before = this.#outgoing.get(peer);
    if (before?.isOpen) return before;
    const { certified, times } = this.#options;
    const link: Link = await dial(this.charter.entities[peer - 1], {
      name: `entity ${peer}`,
      certified,
      times,
      handlers: {
        closed: (reason) => {
          if (this.#outgoing.get(peer) === link) this.#lose(peer, reason);
        },
      },
    });
    await link.ask('hello', { facts: { charter: this.fingerprint } });
    const rival = this.#outgoing.get(peer);
    if (rival?.isOpen) {
      link.close(); // two calls dialled at the same moment
      return rival;
    }
    this.#outgoing.set(peer, link);
    return link;
  }
}
