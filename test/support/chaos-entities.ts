// Kills entities, over and over, while a federation on shares trains, an owner pushes and samples are predicted; then everything is
// counted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RandomStream } from '../../src/core/random.ts';
import { errorCode } from '../../src/errors.ts';
import { federationShares } from '../../src/exchange/client/federation-shares.ts';
import { SharesScene, toyOwners } from './shares-scene.ts';
import { toyId } from './toy-bundles.ts';

export interface EntityChaosReport {
  kills: number;
  /** How many of them were during a training, and during a push. */
  during: { training: number; push: number };
  trainings: number;
  pushes: number;
  predictions: number;
  faults: string[];
}

const [OWNERS, SAMPLES, ENTITIES] = [3, 60, 3];
const CONFIG = { graph: 'icdf', epochs: 6, patience: 6, batch: 16, hidden: 4, predictionGraphs: 2 };
/** Sends the same bundle again and again. */
const PUSHER = 'pusher';
/** The last bits of numbers that were opened under masks are chance. */
const TOLERANCE = 1e-3;
/** Codes of a moment in which somebody is away. Whoever meets one tries again. */
const AWAY = /^F3_(SHARES_AWAY|SHARES_MISSING|CLIENT_UNREACHABLE|NOT_READY|BUSY)$/;

export async function chaosOfEntities({ kills, seed }: { kills: number; seed: number }): Promise<EntityChaosReport> {
  const dir = mkdtempSync(join(tmpdir(), 'f3-chaos-entities-'));
  const scene = await SharesScene.start(dir, { inProcesses: true, entities: ENTITIES });
  try {
    return await new EntityChaos(scene, seed).run(kills);
  } finally {
    await scene.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

class EntityChaos {
  readonly #scene: SharesScene;
  readonly #random: RandomStream;
  readonly #report: EntityChaosReport = {
    kills: 0,
    during: { training: 0, push: 0 },
    trainings: 0,
    pushes: 0,
    predictions: 0,
    faults: [],
  };
  readonly #under = new Set<'training' | 'push'>();
  readonly #versions: number[] = [];
  #isOver = false;
  /** What a training ends with, and what is predicted, while nobody is killed. */
  #loss = Number.NaN;
  #probability = Number.NaN;

  constructor(scene: SharesScene, seed: number) {
    this.#scene = scene;
    this.#random = new RandomStream(seed, 2);
  }

  async run(kills: number): Promise<EntityChaosReport> {
    await this.#scene.populate(toyOwners(OWNERS, SAMPLES), SAMPLES);
    await this.#scene.join(PUSHER);
    this.#versions.push(await this.#push());
    this.#loss = await this.#train();
    this.#probability = await this.#predict();
    await Promise.all([this.#kill(kills), this.#trainings(), this.#pushes(), this.#predictions()]);
    await this.#count();
    return this.#report;
  }

  async #kill(kills: number): Promise<void> {
    try {
      for (; this.#report.kills < kills; this.#report.kills++) {
        await sleep(this.#random.integer(2000));
        for (const what of this.#under) this.#report.during[what]++;
        const entity = 1 + this.#random.integer(ENTITIES);
        await this.#scene.stopEntity(entity);
        await sleep(this.#random.integer(500));
        await this.#scene.startEntity(entity);
      }
    } finally {
      this.#isOver = true;
    }
  }

  async #train(): Promise<number> {
    const request = { config: CONFIG, split: 1, promote: 'never' as const };
    const first = { ...request, promote: 'always' as const };
    this.#under.add('training');
    const { state, epoch, validationLoss } = await this.#scene.train(Number.isNaN(this.#loss) ? first : request);
    this.#under.delete('training');
    if (state !== 'done' || epoch !== CONFIG.epochs) this.#report.faults.push(`a training ended ${state} at ${epoch}`);
    return Number(validationLoss);
  }

  async #trainings(): Promise<void> {
    while (!this.#isOver) {
      const loss = await this.#train();
      this.#report.trainings++;
      if (!(Math.abs(loss - this.#loss) < TOLERANCE)) this.#report.faults.push(`a loss was ${loss}, not ${this.#loss}`);
    }
  }

  /** One version after the other. */
  async #pushes(): Promise<void> {
    while (!this.#isOver) {
      this.#under.add('push');
      this.#versions.push(await this.#patiently(() => this.#push()));
      this.#under.delete('push');
      this.#report.pushes++;
      await sleep(500);
    }
  }

  /** Every version says the same, in shares of its own, so that all trainings learn the same. */
  async #push(): Promise<number> {
    const [bundle] = toyOwners(1, SAMPLES);
    return (await this.#scene.push({ ...bundle, owner: PUSHER }, { again: true })).version;
  }

  async #predictions(): Promise<void> {
    while (!this.#isOver) {
      const probability = await this.#patiently(() => this.#predict());
      this.#report.predictions++;
      if (Math.abs(probability - this.#probability) < TOLERANCE) continue;
      this.#report.faults.push(`a probability was ${probability}, not ${this.#probability}`);
    }
  }

  async #predict(): Promise<number> {
    const samples = [{ id: toyId(1) }];
    const { predictions } = await this.#scene.client('operator').predict('grid', { samples });
    return predictions[0].probabilities[1];
  }

  /** Who meets an entity that is away tries again; anything else is a fault. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!AWAY.test(errorCode(error) ?? '')) throw error;
        await sleep(100);
      }
    }
  }

  /** What was acknowledged must be there, and the entities must be able to compute with it. */
  async #count(): Promise<void> {
    const { faults } = this.#report;
    const { bundles = [] } = await federationShares(this.#scene.client(PUSHER), 'grid');
    const kept = new Set(bundles.map(({ version }) => version));
    const lost = this.#versions.filter((version) => !kept.has(version));
    if (lost.length > 0) faults.push(`versions ${lost.join()} were acknowledged and are gone`);
    if (new Set(this.#versions).size !== this.#versions.length) faults.push('a version was acknowledged twice');
    const { entities = [] } = await this.#scene.check();
    for (const { entity, state } of entities) if (state !== 'ready') faults.push(`entity ${entity} is ${state}`);
    const probability = await this.#patiently(() => this.#predict());
    if (!(Math.abs(probability - this.#probability) < TOLERANCE))
      faults.push(`in the end a probability was ${probability}`);
  }
}
