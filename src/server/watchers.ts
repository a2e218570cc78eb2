// [coordinator] Who listens to a stream of events: each costs work for as long as it stays, so there are only so many, in all and of one
// member.
import { F3Error } from '../errors.ts';

export interface WatcherLimits {
  most: number;
  mostPerMember: number;
}

export class Watchers {
  readonly #what: string;
  readonly #limits: WatcherLimits;
  readonly #byMember = new Map<string, number>();
  #count = 0;

  /** `what` is watched, for messages. */
  constructor(what: string, limits: WatcherLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** Returns what has to be called when the watcher leaves. Throws if there is no room. */
  enter(member: string): () => void {
    const { most, mostPerMember } = this.#limits;
    const own = this.#byMember.get(member) ?? 0;
    if (this.#count >= most || own >= mostPerMember) {
      const rule = `at most ${most} may watch at a time, ${mostPerMember} of them one member`;
      throw new F3Error('F3_BUSY', `${this.#what}: ${rule}, got another; try again later`);
    }
    this.#count++;
    this.#byMember.set(member, own + 1);
    return () => {
      this.#count--;
      const left = (this.#byMember.get(member) ?? 1) - 1;
      if (left > 0) this.#byMember.set(member, left);
      else this.#byMember.delete(member);
    };
  }
}
