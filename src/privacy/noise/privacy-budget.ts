// [owner] What has left under noise, and what it cost each sample: a file in the owner's folder that only ever grows.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { lockDirectory } from '../../base/directory-lock.ts';
import { unwritable } from '../../base/unwritable.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import { epsilonOf } from './zcdp.ts';

/** One release: embeddings of some samples under noise. */
export interface NoisyRelease {
  /** ρ per sample. */
  cost: number;
  samples: readonly string[];
  /** [sample]: names each embedding with its noise; what was paid for under a name is free from then on. */
  rows: readonly string[];
}

/** How far an owner goes. */
export interface PrivacyLimit {
  /** No sample may come to stand at a larger ε. */
  epsilon: number;
  delta: number;
}

/** Where an owner stands. */
export interface SpentBudget {
  /** ε of the sample that has been released most. */
  epsilon: number;
  delta: number;
  /** Samples that were released at all. */
  samples: number;
  releases: number;
}

/** Milliseconds to wait for other processes that pay, each of which takes some milliseconds. */
const PATIENCE = 120_000;

export class PrivacyBudget {
  readonly #file: string;
  #isLocked = false;
  readonly #spent = new Map<string, number>();
  readonly #rows = new Set<string>();
  #releases = 0;
  /** Bytes of the file that are known. */
  #read = 0;

  private constructor(file: string) {
    this.#file = file;
  }

  /** A last line that a crash cut off does not count: what it was about has not been sent. */
  static open(file: string): PrivacyBudget {
    const budget = new PrivacyBudget(file);
    budget.#catchUp();
    return budget;
  }

  spent(delta: number): SpentBudget {
    let most = 0;
    for (const cost of this.#spent.values()) most = Math.max(most, cost);
    return { epsilon: epsilonOf(most, delta), delta, samples: this.#spent.size, releases: this.#releases };
  }

  /**
   * On disk before anything is sent. Gives how many of the samples had to be paid for; those that were sent before with the same
   * noise are free. Refused as a whole if it would take one sample past the limit.
   */
  spend(release: NoisyRelease, limit: PrivacyLimit): number {
    return this.#locked(() => this.#pay(release, limit));
  }

  /** Throws if `spend` would be refused as things stand. Nothing is paid: another process may be faster. */
  requireRoom(release: NoisyRelease, limit: PrivacyLimit): void {
    this.#catchUp();
    this.#due(release, limit);
  }

  /** Counts all that another budget has spent here, too. */
  add(other: PrivacyBudget): void {
    const bytes = existsSync(other.#file) ? readFileSync(other.#file).subarray(0, other.#read) : Buffer.alloc(0);
    this.#locked(() => {
      this.#append(bytes);
      this.#catchUp();
    });
  }

  #locked<T>(change: () => T): T {
    const names = { thing: 'privacy budget', code: 'F3_HOME', patience: PATIENCE } as const;
    const lock = lockDirectory(dirname(this.#file), names);
    this.#isLocked = true;
    try {
      this.#catchUp();
      return change();
    } finally {
      this.#isLocked = false;
      lock.release();
    }
  }

  #pay(release: NoisyRelease, limit: PrivacyLimit): number {
    const due = this.#due(release, limit);
    if (due.samples.length === 0) return 0;
    this.#append(Buffer.from(`${JSON.stringify(due)}\n`));
    this.#catchUp();
    return due.samples.length;
  }

  /** The part of a release that has to be paid for. Throws if it would take one sample past the limit. */
  #due({ cost, ...release }: NoisyRelease, { epsilon, delta }: PrivacyLimit): NoisyRelease {
    const due = [...release.rows.keys()].filter((i) => !this.#rows.has(release.rows[i]));
    const samples = due.map((i) => canonicalSampleId(release.samples[i]));
    const rows = due.map((i) => release.rows[i]);
    const after = new Map<string, number>();
    for (const sample of samples) after.set(sample, (after.get(sample) ?? this.#spent.get(sample) ?? 0) + cost);
    let [worst, at] = [0, ''];
    for (const [sample, sum] of after) if (sum > worst) [worst, at] = [sum, sample];
    const reached = epsilonOf(worst, delta);
    if (due.length > 0 && reached > epsilon) {
      const before = epsilonOf(this.#spent.get(at) ?? 0, delta);
      const rule = `may come to ε ${shown(epsilon)} (δ ${delta})`;
      const found = `ε ${shown(reached)} for sample ${at}, which stands at ${shown(before)}`;
      throw new F3Error('F3_PRIVACY_BUDGET', `privacy budget: a sample ${rule}, got ${found}`);
    }
    return { cost, samples, rows };
  }

  /** Takes over what stands in the file and is not known yet, also what another process has written since. */
  #catchUp(): void {
    if (!existsSync(this.#file) || statSync(this.#file).size === this.#read) return;
    const bytes = readFileSync(this.#file);
    const whole = bytes.lastIndexOf(10) + 1;
    // Without the lock the rest may be a line that another process is about to finish.
    if (whole < bytes.length && this.#isLocked) truncateSync(this.#file, whole);
    for (const line of bytes.toString('utf8', this.#read, whole).split('\n')) {
      if (line !== '') this.#take(readLine(line, this.#file, this.#releases + 1));
    }
    this.#read = whole;
  }

  #take({ cost, samples, rows }: NoisyRelease): void {
    this.#releases++;
    for (const row of rows) this.#rows.add(row);
    for (const sample of samples) this.#spent.set(sample, (this.#spent.get(sample) ?? 0) + cost);
  }

  #append(lines: Buffer): void {
    try {
      const opened = openSync(this.#file, 'a', 0o600);
      try {
        writeFileSync(opened, lines);
        fsyncSync(opened);
      } finally {
        closeSync(opened);
      }
    } catch (cause) {
      throw unwritable(`privacy budget ${this.#file}`, cause, 'F3_HOME');
    }
  }
}

const shown = (epsilon: number): string => (epsilon < 100 ? epsilon.toPrecision(3) : epsilon.toFixed(0));

function readLine(line: string, file: string, row: number): NoisyRelease {
  try {
    // Releases of earlier versions have no rows: they count, and what was released by them is paid for anew.
    const { cost, samples, rows = [] } = JSON.parse(line) as Partial<NoisyRelease>;
    const areTexts = [samples, rows].every(
      (list) => Array.isArray(list) && list.every((one) => typeof one === 'string'),
    );
    if (typeof cost === 'number' && cost >= 0 && areTexts) return { cost, samples: samples as string[], rows };
  } catch {
    // The same message stands for what is no JSON and for JSON of another kind.
  }
  const rule = 'every line must be a release';
  throw new F3Error('F3_HOME', `privacy budget ${file}: ${rule}, got something else in line ${row}`);
}
