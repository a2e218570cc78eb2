// [wire] Checks a bundle's sample ids one after the other: what is wrong with them, and what is unusual.
import { andMore, type BundleFinding, errorFinding, warningFinding } from './bundle-finding.ts';
import { type TimeKind, timeKind } from './canonical-time.ts';
import { RepeatedTexts, type Suspects } from './repeated-texts.ts';
import type { SampleType } from './sample-ids.ts';

/** The messages do not name the owner, because bundles with the same ids share them. */
export function idFindings(samples: readonly string[], sampleType: SampleType): BundleFinding[] {
  const checks = new IdChecks(sampleType);
  for (const sample of samples) checks.add(sample);
  return checks.findings((row) => samples[row]);
}

interface PlacedId {
  id: string;
  row: number;
}

/** Takes ids in their order and keeps a few bytes of each. */
export class IdChecks {
  readonly #sampleType: SampleType;
  readonly #texts = new RepeatedTexts();
  #suspects: Suspects | undefined;
  #empty: number | undefined;
  #time: (PlacedId & { kind: TimeKind }) | undefined;
  #otherTime: PlacedId | undefined;
  #padded: string | undefined;
  #paddedCount = 0;

  constructor(sampleType: SampleType) {
    this.#sampleType = sampleType;
  }

  get rows(): number {
    return this.#texts.length;
  }

  add(id: string): void {
    const row = this.rows;
    this.#texts.add(id);
    if (id === '') this.#empty ??= row;
    else if (id.charCodeAt(0) <= 32 || id.charCodeAt(id.length - 1) <= 32 || id !== id.trim()) this.#notePadded(id);
    const kind = this.#otherTime ? undefined : timeKind(id);
    if (!kind) return;
    this.#time ??= { id, row, kind };
    if (kind !== this.#time.kind) this.#otherTime = { id, row };
  }

  /** Rows whose ids `findings` will ask for. */
  suspects(): readonly number[] {
    this.#suspects ??= this.#texts.suspects();
    return this.#suspects.rows;
  }

  /** `textOf` gives the ids of the rows that `suspects` names. */
  findings(textOf: (row: number) => string): BundleFinding[] {
    return [...this.#errors(textOf), ...this.#warnings()];
  }

  #notePadded(id: string): void {
    if (id === id.trim()) return;
    this.#padded ??= id;
    this.#paddedCount++;
  }

  *#errors(textOf: (row: number) => string): Generator<BundleFinding> {
    if (this.rows === 0) yield errorFinding('F3_BUNDLE_EMPTY', 'must have at least one sample, got none');
    if (this.#empty !== undefined) {
      const found = `an empty one in row ${this.#empty + 1}`;
      yield errorFinding('F3_BUNDLE_ID', `sample ids must not be empty, got ${found}`);
    }
    if (this.#time && this.#otherTime) {
      const found = [this.#time, this.#otherTime].map(({ id, row }) => `${id} in row ${row + 1}`).join(' and ');
      const rule = 'sample ids that are times must all have a zone or none of them';
      yield errorFinding('F3_BUNDLE_ID', `${rule}, got ${found}`);
    }
    const first = new Map<string, number>();
    for (const row of this.suspects()) {
      const id = textOf(row);
      const before = first.get(id);
      first.set(id, before ?? row);
      if (before === undefined) continue;
      const found = `${id} in rows ${before + 1} and ${row + 1}${andMore(this.#suspects?.repeats ?? 1)}`;
      yield errorFinding('F3_BUNDLE_DUPLICATE', `every sample must occur once, got ${found}`);
      return;
    }
  }

  *#warnings(): Generator<BundleFinding> {
    if (this.#sampleType === 'integer') {
      const found = 'sample ids are integers, which match only bundles whose ids are integers too';
      yield warningFinding('integer-ids', found);
    }
    if (this.#padded === undefined) return;
    const found = `${JSON.stringify(this.#padded)}${andMore(this.#paddedCount)}`;
    const rule = 'sample ids begin or end with white space, which counts when ids are matched';
    yield warningFinding('padded-id', `${rule}: ${found}`);
  }
}
