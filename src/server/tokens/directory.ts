// [coordinator] Remembers members, sessions, inference tokens and federations until the database changes, which saves queries.

import { type Quotas, STANDARD_QUOTAS } from '../../exchange/quotas.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { requireFederation } from '../../storage/federations.ts';
import { findInferenceToken } from '../../storage/inference-tokens.ts';
import { findMemberByKeyId } from '../../storage/members.ts';
import { quotasOf } from '../../storage/quotas.ts';
import type { FederationRow, InferenceTokenRow, MemberRow, SessionRow } from '../../storage/schema.ts';
import { findSession } from '../../storage/sessions.ts';

/**
 * Nothing here is ever out of date when it counts. The embedded database reports each change before it is acknowledged. A
 * PostgreSQL server may be changed by other coordinators, and is asked once per request anyway, because request tokens are
 * good once over all of them: that same statement brings the revision, which rises in the transaction that revokes a member,
 * a session or an inference token, or activates a model. So a revocation acknowledged anywhere holds everywhere for every request that
 * comes after it. A time limit would allow seconds of delay, and the connection of a LISTEN may be down unnoticed.
 */
export class Directory {
  readonly #store: Store;
  #members = new Map<string, Promise<MemberRow | undefined>>();
  #tokens = new Map<string, Promise<InferenceTokenRow | undefined>>();
  #sessions = new Map<string, Promise<SessionRow | undefined>>();
  #federations = new Map<string, Promise<FederationRow>>();
  #quotas = new Map<string, Promise<Quotas>>();
  readonly #standard: Quotas;
  #revision = 0;

  /** `standard`: the quotas of federations that have none of their own. */
  constructor(store: Store, standard: Quotas = STANDARD_QUOTAS) {
    this.#store = store;
    this.#standard = standard;
    store.onChange(() => this.#forget());
  }

  /** Returns revoked members, too; `revoked` says so. Unknown keys are looked up each time, because they may join. */
  async member(keyId: string): Promise<MemberRow | undefined> {
    return remember(this.#members, keyId, () => findMemberByKeyId(this.#store.db, keyId));
  }

  /** Returns revoked and expired tokens, too. Unknown hashes are looked up each time. */
  async inferenceToken(hash: string): Promise<InferenceTokenRow | undefined> {
    return remember(this.#tokens, hash, () => findInferenceToken(this.#store.db, hash));
  }

  /** Returns those that have ended, too. When it was used last may be out of date. */
  async session(hash: string): Promise<SessionRow | undefined> {
    return remember(this.#sessions, hash, () => findSession(this.#store.db, hash));
  }

  async federation(name: string): Promise<FederationRow> {
    return remember(this.#federations, name, () => requireFederation(this.#store.db, name));
  }

  async quotas(federation: string): Promise<Quotas> {
    return remember(this.#quotas, federation, () => quotasOf(this.#store.db, federation, this.#standard));
  }

  /** Answers of several connections may arrive out of order, so a lower revision is ignored. */
  sawRevision(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#forget();
  }

  /** The maps are replaced, not cleared, so that the result of a query that is under way is not remembered. */
  #forget(): void {
    this.#members = new Map();
    this.#tokens = new Map();
    this.#sessions = new Map();
    this.#federations = new Map();
    this.#quotas = new Map();
  }
}

/** Failures are not remembered, nor is a search that found nothing. */
function remember<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(key);
  if (found) return found;
  const asked = find();
  known.set(key, asked);
  asked.then(
    (value) => value === undefined && known.delete(key),
    () => known.delete(key),
  );
  return asked;
}
