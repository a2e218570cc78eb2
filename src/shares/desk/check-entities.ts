// [coordinator] Asks every entity what it holds, and says whether it is what the coordinator was told: same bundles, same keys, no older store.
import { errorCode } from '../../errors.ts';
import type { LedgerLine } from '../ledger.ts';
import type { EntityLines } from './entity-lines.ts';

/** How an entity stands. */
export const ENTITY_STATES = [
  'ready',
  'not admitted',
  'away',
  'another key',
  'keys missing',
  'keys differ',
  'old store',
  'shares missing',
] as const;
export type EntityState = (typeof ENTITY_STATES)[number];

export interface CheckedEntity {
  entity: number;
  url: string;
  keyId: string;
  state: EntityState;
  /** More about it, where it is not ready. */
  detail?: string;
  /** Changes of its store so far; undefined where it did not say. */
  epoch?: number | undefined;
  /** The shares that it holds. */
  held: HeldName[];
  /** Every opening that it has taken part in; undefined where it did not say. */
  ledger?: LedgerLine[];
}

/** A share that an entity holds. */
export interface HeldName {
  root: string;
  owner: string;
  version: number;
}

/** What the coordinator knows. */
export interface ExpectedHoldings {
  /** Roots of bundles that every entity must hold. */
  roots: readonly string[];
  /** The highest epoch that each entity has shown. */
  epochs: ReadonlyMap<number, number>;
}

interface Answered {
  epoch: number;
  checks: Record<string, string>;
  missing: number[];
  held: HeldName[];
  ledger?: LedgerLine[] | undefined;
}

/** Never rejects because of an entity: its trouble is its state. */
export async function checkEntities(lines: EntityLines, expected: ExpectedHoldings): Promise<CheckedEntity[]> {
  const { entities } = lines.charter;
  const shown = await Promise.all(entities.map((_, i) => attempt(() => lines.show(i + 1))));
  if (shown.every(({ value }) => value === 'in use')) {
    // Entities agree on keys as soon as all of them serve the charter; later on this asks nothing of them.
    await Promise.all(entities.map((_, i) => attempt(() => lines.ask(i + 1, 'agree', { facts: {} }))));
  }
  const answers = await Promise.all(
    shown.map(({ value }, i) => (value === 'in use' ? attempt(() => stateOf(lines, i + 1)) : undefined)),
  );
  return entities.map(({ url, keyId }, i) => {
    const about = { entity: i + 1, url, keyId };
    const error = shown[i].error ?? answers[i]?.error;
    if (error) {
      const state = errorCode(error) === 'F3_SHARES_KEY' ? ('another key' as const) : ('away' as const);
      return { ...about, state, detail: error.message, held: [] };
    }
    const answer = answers[i]?.value;
    if (!answer) {
      return {
        ...about,
        state: 'not admitted' as const,
        detail: 'its operator has not admitted the charter',
        held: [],
      };
    }
    const { epoch, held, ledger = [] } = answer;
    return {
      ...about,
      ...judge(
        i + 1,
        answer,
        answers.map((one) => one?.value),
        expected,
      ),
      epoch,
      held,
      ledger,
    };
  });
}

function judge(
  entity: number,
  { epoch, checks, missing, held }: Answered,
  all: readonly (Answered | undefined)[],
  { roots, epochs }: ExpectedHoldings,
): { state: EntityState; detail?: string } {
  const known = epochs.get(entity) ?? 0;
  if (epoch < known) {
    return { state: 'old store', detail: `its store is at change ${epoch}, and was at ${known} before` };
  }
  const lost = roots.filter((root) => !held.some((one) => one.root === root));
  if (lost.length > 0) return { state: 'shares missing', detail: `${lost.length} of ${roots.length} bundles` };
  if (missing.length > 0) return { state: 'keys missing', detail: `nothing from entity ${missing.join(', ')} yet` };
  const differs = Object.entries(checks).find(([set, check]) =>
    all.some((other) => other?.checks[set] !== undefined && other.checks[set] !== check),
  );
  if (differs) return { state: 'keys differ', detail: `entities ${differs[0]} have different keys` };
  return { state: 'ready' };
}

async function stateOf(lines: EntityLines, entity: number): Promise<Answered> {
  const { facts, bytes } = await lines.ask(entity, 'state', { facts: {} });
  const held = JSON.parse(Buffer.from(bytes).toString('utf8')) as HeldName[];
  const { epoch, checks, missing, ledger } = facts as unknown as Answered;
  return { epoch, checks, missing, ledger, held };
}

interface Attempt<T> {
  value?: T;
  error?: Error;
}

async function attempt<T>(act: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error: error as Error };
  }
}
