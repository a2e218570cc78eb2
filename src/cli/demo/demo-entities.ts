// The entities of `f3 demo --on-shares`: processes of their own, each with its folder, its key and its port on loopback.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { errorCode } from '../../errors.ts';
import type { DemoScene } from './demo-scene.ts';

const COUNT = 3;
/** Systems give ports from 32768 on to whoever asks for any, so these stay free until the entity has its own. */
const [FIRST_PORT, LAST_PORT] = [10_000, 32_000];
/** How often another port is tried. */
const ATTEMPTS = 5;

/** One entity. */
export interface DemoEntity {
  /** From 1 on. */
  entity: number;
  /** Id of its process. */
  pid: number;
  /** tls://host:port#key-id */
  address: string;
  folder: string;
}

export class DemoEntities {
  /** So many of them together learn nothing. */
  readonly threshold = 1;
  readonly entities: readonly DemoEntity[];
  /** Rejects if one of them dies. */
  readonly failed: Promise<never>;
  readonly #scene: DemoScene;

  private constructor(scene: DemoScene, started: readonly { entity: DemoEntity; failed: Promise<never> }[]) {
    this.#scene = scene;
    this.entities = started.map(({ entity }) => entity);
    this.failed = Promise.race(started.map(({ failed }) => failed));
    this.failed.catch(() => undefined); // whoever waits for it gets the error
  }

  static async start(scene: DemoScene): Promise<DemoEntities> {
    const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
    return new DemoEntities(scene, await Promise.all(numbers.map((entity) => startEntity(scene, entity))));
  }

  get addresses(): string[] {
    return this.entities.map(({ address }) => address);
  }

  /** What the operator of each entity types when it has compared the fingerprint with the others. */
  async admit(fingerprint: string): Promise<void> {
    await Promise.all(
      this.entities.map(({ entity, folder }) =>
        this.#scene.processes.run(`operator of entity ${entity}`, ['entity', 'admit', fingerprint, '--data', folder]),
      ),
    );
  }
}

/** A port that was free a moment ago may be taken by now; then the entity gets another. */
async function startEntity(scene: DemoScene, entity: number) {
  const { processes } = scene;
  const folder = scene.path('entities', `entity-${entity}`);
  for (let attempt = 1; ; attempt++) {
    const url = `tls://127.0.0.1:${await freePort()}`;
    const made = await processes.run(`entity ${entity}`, ['entity', 'init', url, '--data', folder, '--json']);
    const { address } = JSON.parse(made.stdout) as { address: string };
    try {
      const { pid, failed } = await processes.start(`entity ${entity}`, [
        'entity',
        'serve',
        '--data',
        folder,
        '--json',
      ]);
      return { entity: { entity, pid, address, folder }, failed };
    } catch (error) {
      if (errorCode(error) !== 'F3_PROCESS' || attempt === ATTEMPTS) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
