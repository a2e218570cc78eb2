// [entity] [coordinator] The ledger of openings: what became known, to whom, how many numbers, in which step, behind how many bits of mask.

/** Everything that training and prediction on shares ever open. docs/threat-model.md lists the same, a test compares them. */
export const OPENINGS = {
  projections: { to: 'entities', meaning: 'masked products W0ᵀP_i' },
  'owners in the hidden layer': { to: 'entities', meaning: 'masked products W0ᵀP_i h_i' },
  convolutions: { to: 'entities', meaning: 'masked sums of them over the graph' },
  'pooled means': { to: 'entities', meaning: 'masked means over owners of the activations' },
  'pooled gradients': { to: 'entities', meaning: 'masked gradients of the pooled means' },
  'hidden gradients': { to: 'entities', meaning: 'masked gradients of the convolutions' },
  'projection gradients': { to: 'entities', meaning: 'masked gradients of W0ᵀP_i' },
  velocities: { to: 'entities', meaning: 'masked changes of the weights' },
  logits: { to: 'coordinator', meaning: 'class logits of the samples that the coordinator asks about' },
  'edge gradients': { to: 'coordinator', meaning: 'the gradient of each edge of the graph, summed over a batch' },
} as const satisfies Record<string, { to: 'entities' | 'coordinator'; meaning: string }>;

/** The name of something that is opened. */
export type OpeningName = keyof typeof OPENINGS;

/** One opening. */
export interface LedgerEntry {
  what: OpeningName;
  to: 'entities' | 'coordinator';
  /** How many numbers. */
  count: number;
  /** Training step or prediction it belongs to. */
  step: number;
  /** Bits of statistical masking, where entities see the numbers; none where the coordinator learns the value. */
  maskBits?: number;
  /** The entities that took part, where they were not all. */
  among?: readonly number[] | undefined;
}

/** Openings of one kind, added up. */
export interface LedgerLine {
  what: OpeningName;
  to: 'entities' | 'coordinator';
  /** How many openings. */
  openings: number;
  /** How many numbers in all. */
  count: number;
  firstStep: number;
  lastStep: number;
  /** The fewest bits of masking of any of them. */
  maskBits?: number;
  /** The entities that took part, where they were not all: openings among others stand in another line. */
  among?: readonly number[];
}

/** Adds up every opening that a party has taken part in. */
export class Ledger {
  readonly #lines = new Map<string, LedgerLine>();

  constructor(lines: readonly LedgerLine[] = []) {
    for (const line of lines) this.#lines.set(keyOf(line), { ...line });
  }

  record({ what, to, count, step, maskBits, among }: LedgerEntry): void {
    const line = this.#lines.get(keyOf({ what, among }));
    if (!line) {
      const first = { what, to, openings: 1, count, firstStep: step, lastStep: step, ...(among && { among }) };
      this.#lines.set(keyOf(first), maskBits === undefined ? first : { ...first, maskBits });
      return;
    }
    line.openings++;
    line.count += count;
    line.firstStep = Math.min(line.firstStep, step);
    line.lastStep = Math.max(line.lastStep, step);
    if (maskBits !== undefined) line.maskBits = Math.min(line.maskBits ?? maskBits, maskBits);
  }

  /** In the order of `OPENINGS`. A kind has a line for all entities, and one for every part of them that went on alone. */
  lines(): LedgerLine[] {
    const order = Object.keys(OPENINGS);
    return [...this.#lines.values()]
      .map((line) => ({ ...line }))
      .sort((a, b) => order.indexOf(a.what) - order.indexOf(b.what));
  }
}

/** Numbers of one kind that were opened, as all entities together know it. */
export type MergedOpening = Pick<LedgerLine, 'what' | 'to' | 'openings' | 'count' | 'maskBits'> & { meaning: string };

/**
 * The ledgers of all entities as one. Those who took part in an opening all have it, so of lines that differ the one that counts more
 * is the whole; openings among different entities are different ones and add up.
 */
export function mergedLedger(ledgers: readonly (readonly LedgerLine[])[]): MergedOpening[] {
  const whole = new Map<string, LedgerLine>();
  for (const line of ledgers.flat()) {
    const known = whole.get(keyOf(line));
    if (!known || line.count > known.count) whole.set(keyOf(line), line);
  }
  return (Object.keys(OPENINGS) as OpeningName[]).flatMap((what) => {
    const lines = [...whole.values()].filter((line) => line.what === what);
    if (lines.length === 0) return [];
    const sum = (of: 'openings' | 'count') => lines.reduce((total, line) => total + line[of], 0);
    const bits = ledgers.flat().flatMap((line) => (line.what === what ? (line.maskBits ?? []) : []));
    const { to, meaning } = OPENINGS[what];
    const merged = { what, to, meaning, openings: sum('openings'), count: sum('count') };
    return [bits.length > 0 ? { ...merged, maskBits: Math.min(...bits) } : merged];
  });
}

const keyOf = ({ what, among }: Pick<LedgerEntry, 'what' | 'among'>): string => `${what} ${among?.join(' ') ?? ''}`;
