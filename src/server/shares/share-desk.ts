// [coordinator] The coordinator towards the entities of its federations on shares: it asks what they hold, and admits owners.
import { Batches } from '../../base/batches.ts';
import { type ErrorCode, F3Error } from '../../errors.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { admit } from '../../shares/admission.ts';
import { type Charter, readCharter } from '../../shares/charter.ts';
import { type CheckedEntity, checkEntities, type EntityState } from '../../shares/desk/check-entities.ts';
import { EntityLines } from '../../shares/desk/entity-lines.ts';
import { type CertifiedKey, selfSignedCertificate } from '../../shares/link/self-signed-certificate.ts';
import { nextVersion } from '../../storage/bundles.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { requireFederation } from '../../storage/federations.ts';
import type { Db } from '../../storage/schema.ts';
import { findCharter, listShareEntities, noteEntities, sharedRoots } from '../../storage/share-charters.ts';

/** A federation's charter, with what the coordinator needs to speak for it. */
export interface OpenCharter {
  charter: Charter;
  fingerprint: string;
  keys: KeyPair;
  certified: CertifiedKey;
}

/** What is said of an entity that cannot be relied on. */
const TROUBLE: { readonly [State in EntityState]?: ErrorCode } = {
  away: 'F3_SHARES_AWAY',
  'another key': 'F3_SHARES_KEY',
  'not admitted': 'F3_SHARES_CHARTER',
};

/** Undefined where the coordinator keeps embeddings itself. */
export async function openCharter(db: Db, federation: string): Promise<OpenCharter | undefined> {
  const found = await findCharter(db, federation);
  if (!found) return undefined;
  const keys = found.key as unknown as KeyPair;
  const charter = readCharter(found.charter);
  return { charter, fingerprint: found.fingerprint, keys, certified: selfSignedCertificate(keys) };
}

export async function requireCharter(db: Db, federation: string): Promise<OpenCharter> {
  const found = await openCharter(db, federation);
  if (found) return found;
  const rule = 'must have a charter of entities to compute on shares';
  throw new F3Error('F3_SHARES_CHARTER', `federation ${federation}: ${rule}, got none`);
}

/** Questions to entities of this process's federations. */
export class ShareDesk {
  readonly #store: Store;
  readonly #isShared = new Map<string, boolean>();
  readonly #lines = new Map<string, EntityLines>();
  readonly #checks = new Map<string, Batches<undefined, CheckedEntity[]>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** A charter is made with its federation or never, so the answer holds. */
  async isShared(federation: string): Promise<boolean> {
    const known = this.#isShared.get(federation);
    if (known !== undefined) return known;
    await requireFederation(this.#store.db, federation);
    const found = (await findCharter(this.#store.db, federation)) !== undefined;
    this.#isShared.set(federation, found);
    return found;
  }

  /** How every entity stands at this moment. Those who ask at the same time share one round of questions. */
  check(federation: string): Promise<CheckedEntity[]> {
    const known = this.#checks.get(federation);
    const checks =
      known ??
      new Batches<undefined, CheckedEntity[]>(
        async (asked) => {
          const entities = await this.#check(federation);
          return asked.map(() => entities);
        },
        { maxItems: 10_000, maxUnderWay: 1 },
      );
    this.#checks.set(federation, checks);
    return checks.add(undefined);
  }

  /** Throws unless every entity holds a share of this bundle. */
  async requireHeld(federation: string, root: string, thing: string): Promise<void> {
    for (const { entity, url, state, detail, held } of await this.check(federation)) {
      if (held.some((one) => one.root === root)) continue;
      const rule = `every entity must hold its share before the bundle counts`;
      const found = `${state === 'ready' ? 'none' : `${state} (${detail})`} at entity ${entity}, ${url}`;
      throw new F3Error(TROUBLE[state] ?? 'F3_SHARES_STORE', `${thing}: ${rule}, got ${found}`);
    }
  }

  /**
   * Whether no entity holds a share of a deleted bundle any more; nothing where the coordinator keeps embeddings. An entity that is
   * away deletes its own when it is asked the next time.
   */
  async swept(federation: string): Promise<{ entities?: 'deleted' | 'pending' }> {
    if (!(await findCharter(this.#store.db, federation))) return {};
    const entities = await this.check(federation);
    return { entities: entities.every(({ epoch }) => epoch !== undefined) ? 'deleted' : 'pending' };
  }

  /** Our word, good for an hour, that the key is that of an owner. */
  async admission(federation: string, owner: string, keyId: string): Promise<string> {
    const { keys, fingerprint } = await requireCharter(this.#store.db, federation);
    return admit(keys, { charter: fingerprint, owner, keyId });
  }

  async close(): Promise<void> {
    for (const lines of this.#lines.values()) lines.close();
  }

  async #check(federation: string): Promise<CheckedEntity[]> {
    const { db } = this.#store;
    const known = await listShareEntities(db, federation);
    const [lines, roots] = [await this.#linesOf(federation), await sharedRoots(db, federation)];
    const epochs = new Map(known.map(({ entity, epoch }) => [entity, epoch]));
    const entities = await checkEntities(lines, { roots, epochs });
    await this.#sweep(federation, lines, entities, new Set(roots));
    const shown = entities.flatMap(({ entity, epoch, ledger }) =>
      epoch === undefined || !ledger ? [] : [{ entity, epoch, ledger }],
    );
    await noteEntities(db, federation, shown);
    return entities;
  }

  /** Has entities delete shares of bundles that were deleted, or that their owner gave up for a newer one. */
  async #sweep(
    federation: string,
    lines: EntityLines,
    entities: CheckedEntity[],
    kept: ReadonlySet<string>,
  ): Promise<void> {
    const newest = new Map<string, number>();
    for (const checked of entities) {
      for (const { root, owner, version } of checked.held) {
        if (kept.has(root)) continue;
        const next = newest.get(owner) ?? (await nextVersion(this.#store.db, federation, owner));
        newest.set(owner, next);
        if (version >= next) continue; // it may be on its way
        const answer = await lines.ask(checked.entity, 'remove', { facts: { root } }).catch(() => undefined);
        if (answer) checked.held = checked.held.filter((one) => one.root !== root);
        else checked.epoch = undefined;
      }
    }
  }

  async #linesOf(federation: string): Promise<EntityLines> {
    const known = this.#lines.get(federation);
    if (known) return known;
    const { charter, certified } = await requireCharter(this.#store.db, federation);
    const lines = new EntityLines({ charter, certified });
    this.#lines.set(federation, lines);
    return lines;
  }
}
