// [coordinator] Counts live requests that wait for other owners in this process, and refuses more than the quotas allow.
import type { Quotas } from '../../exchange/quotas.ts';
import { exceeded } from '../../storage/quotas.ts';

export class LiveWaiting {
  readonly #counts = new Map<string, number>();

  /** Runs `work` as one request that waits. */
  async during<T>(
    { federation, owner }: { federation: string; owner: string },
    quotas: Quotas,
    work: () => Promise<T>,
  ): Promise<T> {
    const [ofMember, ofFederation] = [JSON.stringify([federation, owner]), JSON.stringify([federation])];
    const own = this.#counts.get(ofMember) ?? 0;
    if (own >= quotas.memberLive) throw exceeded('memberLive', owner, quotas, own);
    const all = this.#counts.get(ofFederation) ?? 0;
    if (all >= quotas.federationLive) throw exceeded('federationLive', federation, quotas, all);
    for (const key of [ofMember, ofFederation]) this.#add(key, 1);
    try {
      return await work();
    } finally {
      for (const key of [ofMember, ofFederation]) this.#add(key, -1);
    }
  }

  /** How many wait in all. */
  get size(): number {
    let all = 0;
    for (const [key, count] of this.#counts) if (JSON.parse(key).length === 1) all += count;
    return all;
  }

  #add(key: string, change: number): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
