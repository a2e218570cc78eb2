// [coordinator] Which owners a model can least afford to lose: each alone, then the five that cost most together. It is found in the
// background, one question at a time, so that other questions come in between, and kept with the model.
import { errorCode, F3Error } from '../../errors.ts';
import type { Criticality } from '../../exchange/messages/what-if.ts';
import type { AbsenceEffect } from '../../infer/scored-part.ts';
import type { Telling } from './tell-evaluation.ts';

/** What an owner's absence costs: the loss rises and the AUC falls by so much, and predictions move so far. */
export interface OwnerCost {
  owner: string;
  loss: number;
  /** Null where the AUC is not defined. */
  auc: number | null;
  shift: number;
}

export interface CriticalOwners {
  owners: OwnerCost[];
  /** The first alone, the second beside it, and so on: costs together. */
  five: OwnerCost[];
}

/** The five are searched among so many of the costliest: all pairs would take hours. */
const CANDIDATES = 12;
const FIVE = 5;

/** How many questions `findCritical` asks. */
export function questionCount(owners: number): number {
  const together = Math.max(0, Math.min(FIVE, owners - 1) - 1);
  const beside = Math.min(CANDIDATES, owners);
  let count = owners;
  for (let step = 1; step <= together; step++) count += beside - step;
  return count;
}

/** Greedy: after the costliest owner the one that costs most beside it, and so on. Somebody always stays. */
export async function findCritical(
  owners: readonly string[],
  without: (absent: readonly string[]) => Promise<AbsenceEffect>,
  onDone: (done: number) => void = () => undefined,
): Promise<CriticalOwners> {
  let done = 0;
  const costOf = async (owner: string, beside: readonly string[]): Promise<OwnerCost> => {
    const { base, scores, shift } = await without([...beside, owner]);
    const auc = base.auc - scores.auc;
    onDone(++done);
    return { owner, loss: scores.loss - base.loss, auc: Number.isFinite(auc) ? auc : null, shift };
  };
  if (owners.length < 2) return { owners: [], five: [] };
  const alone: OwnerCost[] = [];
  for (const owner of owners) alone.push(await costOf(owner, []));
  alone.sort((a, b) => b.loss - a.loss);
  const five = [alone[0]];
  const candidates = alone.slice(0, CANDIDATES).map(({ owner }) => owner);
  while (five.length < Math.min(FIVE, owners.length - 1)) {
    const taken = five.map(({ owner }) => owner);
    const costs: OwnerCost[] = [];
    for (const owner of candidates.filter((each) => !taken.includes(each))) costs.push(await costOf(owner, taken));
    five.push(costs.reduce((most, cost) => (cost.loss > most.loss ? cost : most)));
  }
  return { owners: alone, five };
}

/** The order is told to all who may ask: it says as much about labels as the choice of a setting does. */
export function tellCritical(
  found: CriticalOwners,
  { score, told }: Telling,
): Pick<Criticality, 'owners' | 'five' | 'told'> {
  const shown = ({ owner, loss, auc, shift }: OwnerCost) => ({
    owner,
    loss: score(loss),
    auc: auc === null ? null : score(auc),
    shift: Number(shift.toPrecision(4)),
  });
  return { told, owners: found.owners.map(shown), five: found.five.map(shown) };
}

interface Search {
  done: number;
  of: number;
  error: { code: string; message: string } | null;
}

/** Each keeps a model open and computes for minutes. */
const MOST_UNDER_WAY = 2;
/** So many searches are remembered, those that failed among them. */
const MOST_KEPT = 100;

/** Searches that are under way in this process, and those that failed lately. */
export class CriticalSearches {
  readonly #searches = new Map<string, Search>();

  find(key: string): Search | undefined {
    return this.#searches.get(key);
  }

  #forgetFailures(): void {
    for (const [key, { error }] of this.#searches) if (error) this.#searches.delete(key);
  }

  /** Begins a search unless one is under way. `work` reports how far it is; what it finds is its own to keep. */
  begin(key: string, of: number, work: (onDone: (done: number) => void) => Promise<void>): void {
    const before = this.#searches.get(key);
    if (before && !before.error) return;
    const underWay = [...this.#searches.values()].filter(({ error }) => !error).length;
    if (underWay >= MOST_UNDER_WAY) {
      throw new F3Error('F3_BUSY', `searches: ${MOST_UNDER_WAY} may be under way, got another; try again later`);
    }
    if (this.#searches.size > MOST_KEPT) this.#forgetFailures();
    const search: Search = { done: 0, of, error: null };
    this.#searches.set(key, search);
    work((done) => {
      search.done = done;
    }).then(
      () => this.#searches.delete(key),
      (error: Error) => {
        const code = errorCode(error);
        search.error = code
          ? { code, message: error.message }
          : { code: 'F3_INTERNAL', message: 'the coordinator failed; its log says why' };
      },
    );
  }
}
