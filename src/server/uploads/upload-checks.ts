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
import type { ServerLimits } from '../server-limits.ts';
import { ContentThread } from './content-thread.ts';

/** An upload up to this size is checked beside larger ones, by a thread of its own. */
const SMALL_BYTES = 16 * 2 ** 20;

/** What a refusal depends on: the version of f3 and the limits of its checks. */
export const checkRules = ({ bundleRows, rowBytes, checkHeapMb }: ServerLimits): string =>
  `${VERSION} ${[bundleRows, rowBytes, checkHeapMb].join()}`;

interface WaitingCheck {
  member: string;
  run(): Promise<void>;
}

/** Uploads of similar size, checked one at a time. */
interface Lane {
  thread: ContentThread;
  waiting: WaitingCheck[];
  isBusy: boolean;
  /** Milliseconds of checks that each member has had. The one with the fewest is next. */
  served: Map<string, number>;
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
      waiting: [],
      isBusy: false,
      served: new Map(),
    });
    this.#lanes = { small: lane(), large: lane() };
  }

  /** Whoever asks for an upload that is being checked already waits for the same check. Throws F3_BUSY if too many wait. */
  verdict(upload: UploadRow, federation: FederationRow, member: MemberRow): Promise<UploadVerdict> {
    if (upload.verdict) return Promise.resolve(upload.verdict);
    const known = this.#underWay.get(upload.id);
    if (known) return known;
    const lane = upload.size <= SMALL_BYTES ? this.#lanes.small : this.#lanes.large;
    if (lane.waiting.length >= this.#limits.checksWaiting || this.#isClosed) return Promise.reject(busy());
    const { promise, resolve, reject } = Promise.withResolvers<UploadVerdict>();
    this.#underWay.set(upload.id, promise);
    const run = () => this.#check(lane, upload, federation, member).then(resolve, reject);
    lane.waiting.push({ member: upload.member, run });
    void this.#work(lane);
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

  async #work(lane: Lane): Promise<void> {
    if (lane.isBusy) return;
    lane.isBusy = true;
    for (let next = takeNext(lane); next; next = takeNext(lane)) {
      const start = performance.now();
      await next.run();
      lane.served.set(next.member, (lane.served.get(next.member) ?? 0) + performance.now() - start);
    }
    lane.isBusy = false;
    lane.served.clear(); // When nobody waits, nobody has had more than their share.
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

/** Takes the first check of the member that was served the least. */
function takeNext({ waiting, served }: Lane): WaitingCheck | undefined {
  const servedOf = ({ member }: WaitingCheck) => served.get(member) ?? 0;
  let best = 0;
  for (let i = 1; i < waiting.length; i++) if (servedOf(waiting[i]) < servedOf(waiting[best])) best = i;
  return waiting.splice(best, 1)[0];
}

const busy = () => new F3Error('F3_BUSY', 'uploads: must be few that wait for their check, got too many; try again');
