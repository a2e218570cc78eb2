// [coordinator] Has the content of uploads checked, each once: small ones do not wait for large ones, members take turns, and how
// many wait is limited.
import { VERSION } from '../../base/version.ts';
import { F3Error } from '../../errors.ts';
import type { Charter } from '../../shares/charter.ts';
import type { Store } from '../../storage/database/open-database.ts';
import type { FederationRow, MemberRow, UploadRow } from '../../storage/schema.ts';
import { findCharter } from '../../storage/share-charters.ts';
import {
  beginCheck,
  forgetChecks,
  storeVerdict,
  type UploadVerdict,
  unknownUpload,
} from '../../storage/upload-verdicts.ts';
import { findUpload } from '../../storage/uploads.ts';
import { FairQueue } from '../fair-queue.ts';
import type { ServerLimits } from '../server-limits.ts';
import { ContentThread } from './content-thread.ts';

/** An upload up to this size is checked beside larger ones, by a thread of its own. */
const SMALL_BYTES = 16 * 2 ** 20;

/** What a refusal depends on: the version of f3 and the limits of its checks. */
export const checkRules = ({ bundleRows, rowBytes, checkHeapMb }: ServerLimits): string =>
  `${VERSION} ${[bundleRows, rowBytes, checkHeapMb].join()}`;

/** Uploads of similar size, checked one at a time. */
interface Lane {
  thread: ContentThread;
  queue: FairQueue;
}

export class UploadChecks {
  readonly #store: Store;
  readonly #limits: ServerLimits;
  readonly #lanes: { small: Lane; large: Lane };
  readonly #underWay = new Map<string, Promise<UploadVerdict>>();
  #isClosed = false;

  constructor(store: Store, limits: ServerLimits) {
    this.#store = store;
    this.#limits = limits;
    const lane = (): Lane => ({
      thread: new ContentThread(store, limits.checkHeapMb),
      queue: new FairQueue({ mostWaiting: limits.checksWaiting, refusal: busy }),
    });
    this.#lanes = { small: lane(), large: lane() };
  }

  /** Whoever asks for an upload that is being checked already waits for the same check. Throws F3_BUSY if too many wait. */
  verdict(upload: UploadRow, federation: FederationRow, member: MemberRow): Promise<UploadVerdict> {
    if (upload.verdict) return Promise.resolve(upload.verdict);
    const known = this.#underWay.get(upload.id);
    if (known) return known;
    const lane = upload.size <= SMALL_BYTES ? this.#lanes.small : this.#lanes.large;
    if (this.#isClosed) return Promise.reject(busy());
    const promise = lane.queue.run(upload.member, () => this.#check(lane, upload, federation, member));
    this.#underWay.set(upload.id, promise);
    const forget = () => void this.#underWay.delete(upload.id);
    promise.then(forget, forget);
    return promise;
  }

  /** Checks that are under way end without a verdict, and begin anew when they are asked for again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Object.values(this.#lanes).map(({ thread }) => thread.close()));
    await Promise.allSettled(this.#underWay.values());
  }

  async #check(
    lane: Lane,
    upload: UploadRow,
    federation: FederationRow,
    { owner, keyId }: MemberRow,
  ): Promise<UploadVerdict> {
    if (this.#isClosed) throw busy();
    const { db } = this.#store;
    const { id, kind, size, sha256, blob } = upload;
    const { bundleRows, rowBytes } = this.#limits;
    const limits = { bundleRows, rowBytes };
    const begun = await beginCheck(db, id, kind, checkRules(this.#limits));
    if (begun) return begun;
    const found = kind === 'bundle' ? await findCharter(db, federation.name) : undefined;
    const shares = found && {
      charter: found.fingerprint,
      keyId,
      entities: (found.charter as unknown as Charter).entities.length,
    };
    const question = { id, kind, size, sha256, owner, classes: federation.classes ?? undefined, limits, shares };
    try {
      return await storeVerdict(db, id, { summary: await lane.thread.check(question, blob) });
    } catch (error) {
      // A database that is away remembers the check as one that did not end; those are few.
      await forgetChecks(db, id).catch(() => undefined);
      if (this.#isClosed) throw busy();
      // It may have been discarded during the check, for a newer one of its member.
      if (!(await findUpload(db, id))) throw unknownUpload(id);
      return storeVerdict(db, id, { error }, checkRules(this.#limits));
    }
  }
}

const busy = () => new F3Error('F3_BUSY', 'uploads: must be few that wait for their check, got too many; try again');
