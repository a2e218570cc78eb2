// [entity] What an entity answers, by who asks: the coordinator and the other entities of a charter, owners that the coordinator admitted, strangers.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { readAdmission } from '../admission.ts';
import { charterFingerprint, readCharter } from '../charter.ts';
import { type Heard, type Link, type LinkHandlers, PARTY_BYTES, type Said } from '../link/link.ts';
import { manifestRoot, readManifest, SALT_BYTES } from '../share-manifest.ts';
import { COORDINATOR } from '../transport.ts';
import type { EntityFederation } from './entity-federation.ts';
import type { EntityFolder } from './entity-folder.ts';

/** Most bytes of a chunk of a share. */
const CHUNK_BYTES = 2 * 1024 * 1024;

/** Who is on the line, once it has said so. */
type Caller =
  | { kind: 'party'; federation: EntityFederation; party: number }
  | { kind: 'owner'; federation: EntityFederation; owner: string; keyId: string };

/** Runs what a conversation is for. */
export type ConversationProgram = (federation: EntityFederation, link: Link, said: Heard) => Promise<Said>;

export interface EntityServiceOptions {
  folder: EntityFolder;
  /** Opens the federation of a charter that is in use. */
  open(charter: ReturnType<typeof readCharter>): EntityFederation;
  /** Answers `converse`. */
  program: ConversationProgram;
}

const hello = z.object({ charter: z.string(), admission: z.string().optional() });
const chunk = z.object({ root: z.string(), offset: z.number().int().min(0) });
const naming = z.object({ root: z.string() });
const offering = z.object({ manifest: z.string() });
const forgetting = z.object({ names: z.array(z.string()).max(100) });
const ticketing = z.object({ ticket: z.string(), coding: z.string().max(64).optional() });

/** Answers all lines of one entity. */
export class EntityService {
  readonly #options: EntityServiceOptions;
  readonly #federations = new Map<string, EntityFederation>();

  constructor(options: EntityServiceOptions) {
    this.#options = options;
    for (const charter of options.folder.installed()) {
      this.#federations.set(charterFingerprint(charter), options.open(charter));
    }
  }

  /** What happens on a line. `link` gives the line itself, once it stands. */
  handlersOf(link: () => Link): LinkHandlers {
    let caller: Caller | undefined;
    return {
      answer: async (what, said) => {
        if (what === 'charter') return this.#propose(link(), said);
        if (what === 'hello') {
          caller = await this.#greet(link(), said);
          return { facts: { entity: caller.federation.entity } };
        }
        if (!caller)
          throw new F3Error('F3_AUTH_FORBIDDEN', `${what}: the caller must say which charter it means first`);
        if (caller.kind === 'owner') return this.#answerOwner(caller, what, said);
        return this.#answerParty(caller, link(), what, said);
      },
      message: (conversation, tag, bytes) => {
        if (caller?.kind !== 'party') throw new F3Error('F3_AUTH_FORBIDDEN', 'messages: only parties may send any');
        caller.federation.message(caller.party, conversation, tag, bytes);
      },
      closed: (reason) => {
        if (caller?.kind === 'party') caller.federation.dismiss(caller.party, link(), reason);
      },
    };
  }

  close(): void {
    for (const federation of this.#federations.values()) federation.close();
  }

  /** A coordinator shows a charter. It is served once the operator of this entity has admitted it. */
  #propose(link: Link, { facts }: Heard): Said {
    const charter = readCharter(facts.charter);
    const fingerprint = charterFingerprint(charter);
    if (this.#federations.has(fingerprint)) return { facts: { state: 'in use' } };
    if (link.keyId !== charter.coordinator) {
      const rule = 'must be shown by its own coordinator';
      throw new F3Error('F3_SHARES_CHARTER', `charter of ${charter.federation}: ${rule}, got another key`);
    }
    const { folder, open } = this.#options;
    if (!charter.entities.some(({ url, keyId }) => `${url}#${keyId}` === folder.address)) {
      const rule = `must have this entity as ${folder.address}`;
      throw new F3Error('F3_SHARES_CHARTER', `charter of ${charter.federation}: ${rule}, got others only`);
    }
    if (!folder.isAdmitted(fingerprint)) {
      folder.propose(charter);
      return { facts: { state: 'proposed' } };
    }
    folder.install(charter);
    this.#federations.set(fingerprint, open(charter));
    return { facts: { state: 'in use' } };
  }

  /** A charter that its coordinator has shown is in use as soon as the operator has admitted it: nobody has to show it again. */
  #federation(fingerprint: string): EntityFederation | undefined {
    const { folder, open } = this.#options;
    const known = this.#federations.get(fingerprint);
    const proposed = known ? undefined : folder.proposed(fingerprint);
    if (!proposed || !folder.isAdmitted(fingerprint)) return known;
    folder.install(proposed);
    const opened = open(proposed);
    this.#federations.set(fingerprint, opened);
    return opened;
  }

  async #greet(link: Link, { facts }: Heard): Promise<Caller> {
    const { charter, admission } = parse(hello, facts, 'hello');
    const federation = this.#federation(charter);
    if (!federation) {
      const rule = 'must be in use here: its coordinator shows it, and the operator of this entity admits it';
      throw new F3Error('F3_SHARES_CHARTER', `charter ${charter.slice(0, 64)}: ${rule}`);
    }
    const { keyId } = link;
    const party = federation.partyOf(keyId);
    if (party !== undefined) {
      link.trust(PARTY_BYTES);
      federation.welcome(party, link);
      return { kind: 'party', federation, party };
    }
    const { coordinator } = federation.charter;
    const { owner } = await readAdmission(admission ?? '', { coordinator, charter, keyId });
    link.trust(CHUNK_BYTES);
    return { kind: 'owner', federation, owner, keyId };
  }

  async #answerOwner({ federation, owner, keyId }: Caller & { kind: 'owner' }, what: string, said: Heard) {
    const { shares, fingerprint, charter } = federation;
    switch (what) {
      case 'offer': {
        const { manifest: statement } = parse(offering, said.facts, what);
        const expected = { charter: fingerprint, owner, keyId, entities: charter.entities.length };
        const { received, isHeld } = shares.offer(statement, await readManifest(statement, expected));
        return { facts: { root: manifestRoot(statement), received, isHeld } };
      }
      case 'append': {
        const { root, offset } = parse(chunk, said.facts, what);
        return { facts: { received: shares.append(root, offset, said.bytes, owner) } };
      }
      case 'finish': {
        const { root } = parse(naming, said.facts, what);
        if (said.bytes.length !== SALT_BYTES) {
          const found = said.bytes.length;
          throw new F3Error('F3_SHARES_BUNDLE', `share of ${owner}: salt must have ${SALT_BYTES} bytes, got ${found}`);
        }
        shares.finish(root, said.bytes, owner);
        return { facts: { epoch: shares.epoch } };
      }
      case 'live':
        federation.live.put(parse(ticketing, said.facts, what), owner, said.bytes);
        return { facts: {} };
      case 'remove': {
        const { root } = parse(naming, said.facts, what);
        const own = shares.held().some((one) => one.root === root && one.manifest.owner === owner);
        return { facts: { removed: own && shares.remove(root) } };
      }
    }
    throw new F3Error('F3_AUTH_FORBIDDEN', `${what}: may not be asked by an owner`);
  }

  async #answerParty({ federation, party }: Caller & { kind: 'party' }, link: Link, what: string, said: Heard) {
    if (party !== COORDINATOR) {
      if (what === 'contribution') return { facts: federation.agreement.forPeer(party) };
      throw new F3Error('F3_AUTH_FORBIDDEN', `${what}: may not be asked by an entity`);
    }
    const { shares, agreement } = federation;
    switch (what) {
      case 'state': {
        const held = shares.held().map(({ root, manifest: { owner, version } }) => ({ root, owner, version }));
        const facts = {
          epoch: shares.epoch,
          checks: agreement.checks(),
          missing: agreement.missing(),
          ledger: federation.ledger.lines(),
        };
        return { facts, bytes: Buffer.from(JSON.stringify(held)) };
      }
      case 'agree':
        await federation.agree();
        return { facts: { checks: agreement.checks() } };
      case 'remove':
        return { facts: { removed: shares.remove(parse(naming, said.facts, what).root) } };
      case 'forget':
        for (const name of parse(forgetting, said.facts, what).names) await federation.weights.forget(name);
        return { facts: {} };
      case 'converse':
        return this.#options.program(federation, link, said);
    }
    throw new F3Error('F3_SHARES_MESSAGE', `${what.slice(0, 40)}: must be something that entities are asked, got this`);
  }
}

function parse<T>(schema: z.ZodType<T>, facts: unknown, what: string): T {
  const { data, error } = schema.safeParse(facts);
  if (data !== undefined) return data;
  const { path, message } = error?.issues[0] ?? { path: [], message: 'something else' };
  throw new F3Error('F3_SHARES_MESSAGE', `${what}: must be asked as f3 does, got ${path.join('.')}: ${message}`);
}
