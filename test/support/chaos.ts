// Kills the coordinator (kill -9) while members upload, train and predict, over and over; then everything is counted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../src/base/sha256.ts';
import { RandomStream } from '../../src/core/random.ts';
import { type Acknowledged, countFaults } from './chaos-count.ts';
import { bundleOf, type Members, makeMembers, predict, startTraining, waitForWeights } from './chaos-members.ts';
import { CoordinatorProcess } from './coordinator-process.ts';

export interface ChaosOptions {
  kills: number;
  /** Seed of what is sent and of when the killer strikes. The timing of the system itself is not seeded. */
  seed: number;
  /** URL of a PostgreSQL database instead of the embedded one. */
  database?: string | undefined;
  onKill?: (kills: number) => void;
}

/** What the killer waits for before it strikes. Other things may be under way as well. */
export type Aim = 'training' | 'upload' | 'prediction' | 'start';
const AIMS: readonly Aim[] = ['training', 'upload', 'prediction', 'start', 'upload'];
/** The most milliseconds between what the killer waited for and the kill. */
const MAX_DELAY: Record<Aim, number> = { training: 600, upload: 1500, prediction: 2500, start: 1500 };

export interface ChaosReport {
  /** How many kills there were in all, and with each aim under way. */
  kills: Record<Aim | 'all', number>;
  uploads: number;
  trainings: number;
  predictions: number;
  /** A line for everything that was acknowledged and is gone, counts by half or twice, or came out differently. */
  faults: string[];
}

export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const dir = mkdtempSync(join(tmpdir(), 'f3-chaos-'));
  const run = new ChaosRun(dir, options);
  try {
    return await run.report();
  } finally {
    await run.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

class ChaosRun {
  readonly #dir: string;
  readonly #options: ChaosOptions;
  readonly #acknowledged: Acknowledged = { uploads: [], trainings: [], weights: '' };
  readonly #kills: ChaosReport['kills'] = { all: 0, training: 0, upload: 0, prediction: 0, start: 0 };
  readonly #under = new Set<Aim>();
  readonly #faults: string[] = [];
  readonly #over = new AbortController();
  #predictions = 0;
  /** The first epoch that was reported since the last kill: another one means that the training goes on. */
  #firstEpoch: number | undefined;
  #coordinator: CoordinatorProcess;

  constructor(dir: string, options: ChaosOptions) {
    this.#dir = dir;
    this.#options = options;
    this.#coordinator = CoordinatorProcess.launch(dir, options);
  }

  async report(): Promise<ChaosReport> {
    const { database } = this.#options;
    await this.#coordinator.listening();
    const { url, operatorKey } = this.#coordinator;
    const members = await makeMembers(url, operatorKey);
    const { id } = await startTraining(members.operator);
    this.#acknowledged.weights = await waitForWeights(members.operator, id);
    this.#acknowledged.trainings.push(id);
    await Promise.all([this.#kill(url), this.#upload(members), this.#train(members), this.#predict(members)]);
    await this.#coordinator.stop();
    const location = database
      ? { kind: 'postgres' as const, url: database }
      : { kind: 'embedded' as const, dir: join(this.#dir, 'database') };
    this.#faults.push(...(await countFaults(location, this.#acknowledged)));
    const { uploads, trainings } = this.#acknowledged;
    const counts = { uploads: uploads.length, trainings: trainings.length, predictions: this.#predictions };
    return { kills: this.#kills, ...counts, faults: this.#faults };
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#coordinator.kill();
  }

  async #kill(url: string): Promise<void> {
    const random = new RandomStream(this.#options.seed, 0);
    const again = { database: this.#options.database, port: Number(new URL(url).port) };
    try {
      for (let i = 0; i < this.#options.kills; i++) {
        const aim = AIMS[i % AIMS.length];
        if (aim !== 'start') await this.#coordinator.listening();
        await this.#wait(aim, random);
        await this.#coordinator.kill();
        this.#kills.all++;
        for (const under of aim === 'start' ? [aim] : this.#under) this.#kills[under]++;
        this.#under.delete('training');
        this.#firstEpoch = undefined;
        this.#options.onKill?.(this.#kills.all);
        this.#coordinator = CoordinatorProcess.launch(this.#dir, again);
      }
      await this.#coordinator.listening();
    } finally {
      this.#over.abort();
    }
  }

  /** Waits until what the killer aims at has been under way for a while; if it has ended meanwhile, it waits again. */
  async #wait(aim: Aim, random: RandomStream): Promise<void> {
    do {
      while (aim !== 'start' && !this.#under.has(aim)) await sleep(5);
      await sleep(random.integer(MAX_DELAY[aim] + 1));
    } while (aim !== 'start' && !this.#under.has(aim));
  }

  /** Sends new versions all the time, small ones and ones of several chunks, to a federation where nobody trains. */
  async #upload({ owner }: Members): Promise<void> {
    const random = new RandomStream(this.#options.seed, 1);
    for (let version = 1; !this.#over.signal.aborted; version++) {
      const bytes = bundleOf(0, { version, samples: random.integer(4) === 0 ? 20_000 : 300 });
      this.#under.add('upload');
      const stored = await owner.upload('depot', 'bundle', bytes);
      this.#under.delete('upload');
      if (stored.version !== version)
        this.#faults.push(`upload ${version} was acknowledged as version ${stored.version}`);
      this.#acknowledged.uploads.push({ version, sha256: sha256(bytes), size: bytes.byteLength });
    }
  }

  /** Runs the same training again and again: all of them learn from the same bundles with the same seed. */
  async #train({ operator }: Members): Promise<void> {
    while (!this.#over.signal.aborted) {
      const { id } = await startTraining(operator);
      const weights = await waitForWeights(operator, id, (epoch) => this.#noteEpoch(epoch));
      this.#under.delete('training');
      this.#acknowledged.trainings.push(id);
      if (weights !== this.#acknowledged.weights) this.#faults.push(`training ${id} gave other weights`);
    }
  }

  #noteEpoch(epoch: number): void {
    this.#firstEpoch ??= epoch;
    if (epoch !== this.#firstEpoch) this.#under.add('training');
  }

  async #predict({ operator }: Members): Promise<void> {
    const expected = JSON.stringify(await predict(operator));
    while (!this.#over.signal.aborted) {
      this.#under.add('prediction');
      const answer = JSON.stringify(await predict(operator));
      this.#under.delete('prediction');
      this.#predictions++;
      if (answer !== expected) this.#faults.push(`a prediction was ${answer}, must be ${expected}`);
    }
  }
}
