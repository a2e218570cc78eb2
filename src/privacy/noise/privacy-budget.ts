// [owner] What has left under noise, and what it cost each sample: a file in the membership's folder that only ever grows.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockDirectory } from '../../base/directory-lock.ts';
import { unwritable } from '../../base/unwritable.ts';
import { F3Error } from '../../errors.ts';
import { epsilonOf } from './zcdp.ts';

/** One release: embeddings of some samples under noise, drawn once. */
export interface NoisyRelease {
  /** Names what was released: the same embeddings under the same noise have the same key. */
  key: string;
  /** ρ per sample. */
  cost: number;
  samples: readonly string[];
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

/** Whoever pays holds the lock for as long as drawing the noise of a bundle takes. */
const PATIENCE = 120_000;

export class PrivacyBudget {
  readonly #file: string;
  #isLocked = false;
  readonly #spent = new Map<string, number>();
  readonly #keys = new Set<string>();
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

  /** Whether this release was paid for, so that it may be sent again for nothing. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  spent(delta: number): SpentBudget {
    let most = 0;
    for (const cost of this.#spent.values()) most = Math.max(most, cost);
    return { epsilon: epsilonOf(most, delta), delta, samples: this.#spent.size, releases: this.#keys.size };
  }

  /** Runs `work` while no other process can pay, after what others have paid is known. */
  exclusively<Result>(work: () => Result): Result {
    if (this.#isLocked) return work();
    const names = { thing: 'privacy budget', code: 'F3_HOME', patience: PATIENCE } as const;
    const lock = lockDirectory(dirname(this.#file), names);
    this.#isLocked = true;
    try {
      this.#catchUp();
      return work();
    } finally {
      this.#isLocked = false;
      lock.release();
    }
  }

  /** On disk before anything is sent. Refused as a whole if it would take one sample past the limit. */
  spend(release: NoisyRelease, limit: PrivacyLimit): void {
    this.exclusively(() => this.#pay(release, limit));
  }

  #pay(release: NoisyRelease, { epsilon, delta }: PrivacyLimit): void {
    if (this.has(release.key)) return;
    const { cost, samples } = release;
    let [worst, at] = [0, ''];
    for (const sample of samples) {
      const after = (this.#spent.get(sample) ?? 0) + cost;
      if (after > worst) [worst, at] = [after, sample];
    }
    const reached = epsilonOf(worst, delta);
    if (reached > epsilon) {
      const before = epsilonOf(worst - cost, delta);
      const rule = `may come to ε ${shown(epsilon)} (δ ${delta})`;
      const found = `ε ${shown(reached)} for sample ${at}, which stands at ${shown(before)}`;
      throw new F3Error('F3_PRIVACY_BUDGET', `privacy budget: a sample ${rule}, got ${found}`);
    }
    this.#append(`${JSON.stringify(release)}\n`);
    this.#catchUp();
  }

  /** Takes over what stands in the file and is not known yet, also what another process has written since. */
  #catchUp(): void {
    if (!existsSync(this.#file) || statSync(this.#file).size === this.#read) return;
    const bytes = readFileSync(this.#file);
    const whole = bytes.lastIndexOf(10) + 1;
    // Without the lock the rest may be a line that another process is about to finish.
    if (whole < bytes.length && this.#isLocked) truncateSync(this.#file, whole);
    for (const line of bytes.toString('utf8', this.#read, whole).split('\n')) {
      if (line !== '') this.#take(readLine(line, this.#file, this.#keys.size + 1));
    }
    this.#read = whole;
  }

  #take({ key, cost, samples }: NoisyRelease): void {
    this.#keys.add(key);
    for (const sample of samples) this.#spent.set(sample, (this.#spent.get(sample) ?? 0) + cost);
  }

  #append(line: string): void {
    try {
      const opened = openSync(this.#file, 'a', 0o600);
      try {
        writeSync(opened, line);
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
    const { key, cost, samples } = JSON.parse(line) as Partial<NoisyRelease>;
    const areTexts = Array.isArray(samples) && samples.every((sample) => typeof sample === 'string');
    if (typeof key === 'string' && typeof cost === 'number' && cost >= 0 && areTexts) {
      return { key, cost, samples: samples as string[] };
    }
  } catch {
    // The same message stands for what is no JSON and for JSON of another kind.
  }
  const rule = 'every line must be a release';
  throw new F3Error('F3_HOME', `privacy budget ${file}: ${rule}, got something else in line ${row}`);
}
