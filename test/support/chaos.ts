// Kills and disturbs a coordinator while members upload, train and predict, over and over; then everything is counted.
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { sha256 } from '../../src/base/sha256.ts';
import { RandomStream } from '../../src/core/random.ts';
import { type Acknowledged, countFaults } from './chaos-count.ts';
import { bundleOf, type Members, makeMembers, predict, startTraining, waitForWeights } from './chaos-members.ts';
import { Replays } from './chaos-replays.ts';
import { type Disturbance, drawDisturbance, possible } from './chaos-schedule.ts';
import { CoordinatorProcess } from './coordinator-process.ts';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { freePorts } from './free-ports.ts';
import { LineProxy } from './line-proxy.ts';
import type { MachineFaults } from './machine-faults.ts';
import type { PostgresServer } from './postgres-server.ts';
import { WorkerProcess } from './worker-process.ts';

export interface ChaosOptions {
  /** How many disturbances there are. */
  kills: number;
  /** Seed of what is sent and of what is done when. The timing of the system itself is not seeded. */
  seed: number;
  /** A PostgreSQL server to be disturbed, instead of the embedded database. */
  postgres?: PostgresServer | undefined;
  /** Ends with fewer disturbances when `performance.now()` has come so far. */
  until?: number | undefined;
  onKill?: (() => void) | undefined;
}

/** What the killer waits for before it strikes. Other things may be under way as well. */
export type Aim = 'training' | 'upload' | 'prediction' | 'start';
const AIMS: readonly Aim[] = ['training', 'upload', 'prediction', 'start', 'upload'];
/**
 * The most milliseconds between what the killer waited for and the kill: a little longer than that takes, so that every part of it
 * is hit. A start is over after some seconds.
 */
const MAX_DELAY: Record<Aim, number> = { training: 600, upload: 600, prediction: 300, start: 3000 };
/** The killer does not wait longer for what it aims at. */
const LONGEST_AIM_MS = 20_000;
/** The most seconds that the clock steps: members with a right clock are still let in. */
const CLOCK_SECONDS = 20;
/** The most milliseconds for which the disk is full, and the clock is wrong, beyond the least of them. */
const MAX_TROUBLE = 800;
/** So many versions of the uploaded bundle are kept; the owner deletes older ones, or a night of uploads would fill the disk. */
const KEPT_VERSIONS = 30;
/** How many recorded requests are sent again after each disturbance. */
const REPLAYED = 4;
/** Milliseconds after which a coordinator that had a full disk must be ready again. */
const RECOVERY_MS = 120_000;
/** Milliseconds after which a start counts as hanging. */
const START_MS = 180_000;
/** After so many faults there is no use in going on. */
const MOST_FAULTS = 20;
/** Bytes of the log that are told where a coordinator ended by itself. */
const LOG_BYTES = 2000;
/** Answers of /healthz that take longer count as hanging. */
const HANG_MS = 1000;

export interface ChaosReport {
  /** How many disturbances there were of each kind. */
  disturbances: Record<Disturbance, number>;
  /** How many kills of the coordinator there were with each aim under way. */
  aims: Record<Aim, number>;
  uploads: number;
  /** How many of them were deleted again. */
  deletions: number;
  trainings: number;
  predictions: number;
  /** How many recorded requests were sent again. */
  replays: number;
  /** Milliseconds of the slowest answer of /healthz. */
  slowest: number;
  /** A line for each that took longer than a second: how long, and when. */
  hangs: string[];
  /** A line for everything that was acknowledged and is gone, counts by half or twice, came out differently or should not be. */
  faults: string[];
}

export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const dir = mkdtempSync(join(tmpdir(), 'f3-chaos-'));
  // While a coordinator starts again nobody else may get its port.
  const [port] = await freePorts(1);
  if (!options.postgres) await copyEmbeddedTemplate(join(dir, 'data', 'database'));
  const run = new ChaosRun(dir, { ...options, port }, await options.postgres?.createDatabase());
  try {
    return await run.report();
  } finally {
    await run.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

class ChaosRun {
  readonly #dir: string;
  readonly #options: ChaosOptions & { port: number };
  readonly #database: string | undefined;
  readonly #acknowledged: Acknowledged = { uploads: [], deleted: 0, trainings: [], weights: '' };
  readonly #done = { coordinator: 0, worker: 0, database: 0, disk: 0, clock: 0, line: 0 };
  readonly #aims = { training: 0, upload: 0, prediction: 0, start: 0 };
  readonly #under = new Set<Aim>();
  readonly #faults: string[] = [];
  readonly #over = new AbortController();
  readonly #replays = new Replays();
  #predictions = 0;
  #slowest = 0;
  readonly #hangs: string[] = [];
  #lately = 'the beginning';
  /** The first epoch that was reported since the last kill: another one means that the training goes on. */
  #firstEpoch: number | undefined;
  #coordinator: CoordinatorProcess;
  #worker: WorkerProcess | undefined;
  #proxy: LineProxy | undefined;

  readonly #log: number;

  constructor(dir: string, options: ChaosOptions & { port: number }, database: string | undefined) {
    this.#dir = dir;
    this.#options = options;
    this.#database = database;
    this.#log = openSync(this.#logFile, 'a');
    this.#setMachine({ clock: 0, disk: false });
    this.#coordinator = this.#launch();
  }

  get #machineFile(): string {
    return join(this.#dir, 'machine.json');
  }

  get #logFile(): string {
    return join(this.#dir, 'log');
  }

  #setMachine(faults: MachineFaults): void {
    writeFileSync(`${this.#machineFile}.new`, JSON.stringify(faults));
    renameSync(`${this.#machineFile}.new`, this.#machineFile);
  }

  #launch(): CoordinatorProcess {
    return CoordinatorProcess.launch(join(this.#dir, 'data'), {
      database: this.#database,
      port: this.#options.port,
      faults: this.#machineFile,
      startMs: START_MS,
      // What goes wrong in its log is what was done to it; its end is told where it should not have ended.
      log: this.#log,
    });
  }

  async report(): Promise<ChaosReport> {
    await this.#coordinator.listening();
    const { url, operatorKey } = this.#coordinator;
    this.#proxy = await LineProxy.open(Number(new URL(url).port));
    const members = await makeMembers(this.#proxy.url, operatorKey, this.#replays.fetch);
    const { id } = await startTraining(members.operator);
    this.#acknowledged.weights = await waitForWeights(members.operator, id);
    this.#acknowledged.trainings.push(id);
    if (this.#database) this.#worker = new WorkerProcess(this.#database);
    const work = [this.#upload(members), this.#train(members), this.#predict(members), this.#watch(url)];
    const failed = await Promise.allSettled([this.#disturb(url), ...work].map((each) => this.#untilFailure(each)));
    for (const each of failed) if (each.status === 'rejected') this.#faults.push(String(each.reason));
    await this.#worker?.kill();
    await this.#coordinator.stop();
    const location = this.#database
      ? { kind: 'postgres' as const, url: this.#database }
      : { kind: 'embedded' as const, dir: join(this.#dir, 'data', 'database') };
    this.#faults.push(...(await countFaults(location, this.#acknowledged)));
    this.#faults.push(...this.#replays.failures);
    const { uploads, deleted, trainings } = this.#acknowledged;
    return {
      disturbances: this.#done,
      aims: this.#aims,
      uploads: uploads.length,
      deletions: deleted,
      trainings: trainings.length,
      predictions: this.#predictions,
      replays: this.#replays.count,
      slowest: Math.round(this.#slowest),
      hangs: this.#hangs,
      faults: this.#faults,
    };
  }

  /** Who gives up ends the scene, and is a fault; what there is then is counted all the same. */
  async #untilFailure(work: Promise<void>): Promise<void> {
    try {
      await work;
    } finally {
      this.#over.abort();
    }
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#worker?.kill();
    await this.#coordinator.kill();
    this.#proxy?.close();
    closeSync(this.#log);
  }

  async #disturb(url: string): Promise<void> {
    const random = new RandomStream(this.#options.seed, 0);
    const kinds = possible(this.#database === undefined);
    const acts: Record<Disturbance, () => Promise<void>> = {
      coordinator: () => this.#killCoordinator(AIMS[this.#done.coordinator % AIMS.length], random),
      worker: () => this.#killWorker(random),
      database: async () => {
        await this.#listening();
        await this.#wait('upload', random);
        await this.#options.postgres?.crash();
      },
      disk: () => this.#fillDisk(random, url),
      clock: () => this.#stepClock(random),
      line: async () => {
        await this.#wait('upload', random);
        this.#proxy?.cut();
      },
    };
    try {
      const { kills, until = Infinity } = this.#options;
      for (let i = 0; i < kills && performance.now() < until && !this.#over.signal.aborted; i++) {
        const kind = drawDisturbance(random, kinds, i);
        this.#lately = `disturbance ${i + 1}, ${kind}`;
        await acts[kind]();
        this.#done[kind]++;
        if (this.#coordinator.isOver) await this.#noteEnd('the coordinator ended by itself');
        this.#faults.push(...(await this.#replays.send(url, REPLAYED)));
        this.#options.onKill?.();
      }
      await this.#listening();
      // Once more when it has settled, after the last restart.
      this.#faults.push(...(await this.#replays.send(url, 10 * REPLAYED)));
    } finally {
      this.#over.abort();
    }
  }

  /** A coordinator that does not start is a fault, and is started again. */
  async #listening(): Promise<void> {
    for (;;) {
      try {
        return await this.#coordinator.listening();
      } catch (error) {
        await this.#noteEnd((error as Error).message);
      }
    }
  }

  async #noteEnd(what: string): Promise<void> {
    const log = readFileSync(this.#logFile, 'utf8').slice(-LOG_BYTES);
    this.#faults.push(`${what}, after ${this.#lately}; its log ends: ${log}`);
    if (this.#faults.length > MOST_FAULTS) throw new Error(this.#faults.join('\n'));
    await this.#restart();
  }

  async #killCoordinator(aim: Aim, random: RandomStream): Promise<void> {
    if (aim !== 'start') await this.#listening();
    await this.#wait(aim, random);
    for (const under of aim === 'start' ? [aim] : this.#under) this.#aims[under]++;
    await this.#restart();
  }

  async #restart(): Promise<void> {
    await this.#coordinator.kill();
    this.#under.delete('training');
    this.#firstEpoch = undefined;
    this.#coordinator = this.#launch();
  }

  async #killWorker(random: RandomStream): Promise<void> {
    await this.#wait('training', random);
    await this.#worker?.kill();
    this.#worker = new WorkerProcess(this.#database as string);
  }

  /** A coordinator is ready again by itself once there is room. */
  async #fillDisk(random: RandomStream, url: string): Promise<void> {
    await this.#listening();
    await this.#wait('upload', random);
    this.#setMachine({ clock: 0, disk: true });
    await sleep(200 + random.integer(MAX_TROUBLE));
    this.#setMachine({ clock: 0, disk: false });
    const overdue = performance.now() + RECOVERY_MS;
    while (performance.now() < overdue) {
      const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady || this.#coordinator.isOver) return;
      await sleep(100);
    }
    this.#faults.push('the coordinator was not ready again after a full disk');
    await this.#restart();
  }

  async #stepClock(random: RandomStream): Promise<void> {
    await this.#listening();
    const seconds = random.integer(2 * CLOCK_SECONDS + 1) - CLOCK_SECONDS;
    this.#setMachine({ clock: seconds * 1000, disk: false });
    await sleep(300 + random.integer(MAX_TROUBLE));
    this.#setMachine({ clock: 0, disk: false });
  }

  /** Waits until what the killer aims at has been under way for a while; if it has ended meanwhile, it waits again. */
  async #wait(aim: Aim, random: RandomStream): Promise<void> {
    const overdue = performance.now() + LONGEST_AIM_MS;
    do {
      while (aim !== 'start' && !this.#under.has(aim) && performance.now() < overdue) await sleep(5);
      await sleep(random.integer(MAX_DELAY[aim] + 1));
    } while (aim !== 'start' && !this.#under.has(aim) && performance.now() < overdue);
  }

  async #watch(url: string): Promise<void> {
    const watch = new Worker(new URL('health-watch.ts', import.meta.url), { workerData: url });
    watch.on('message', (took: number) => {
      this.#slowest = Math.max(this.#slowest, took);
      if (took > HANG_MS) this.#hangs.push(this.#describeHang(took));
    });
    await once(this.#over.signal, 'abort');
    await watch.terminate();
  }

  #describeHang(took: number): string {
    const under = [...this.#under].join(', ') || 'nothing';
    return `${Math.round(took)} ms after ${this.#lately}, under way: ${under}`;
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
      if (version <= KEPT_VERSIONS) continue;
      await owner.deleteBundle('depot', 'owner-0', version - KEPT_VERSIONS);
      this.#acknowledged.deleted = version - KEPT_VERSIONS;
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
