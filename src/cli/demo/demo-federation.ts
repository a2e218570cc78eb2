// The federation of `f3 demo`: a coordinator, owners and a label holder in processes of their own, on shares also entities; the demo is the operator.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Dataset } from '../../data/dataset/dataset.ts';
import { F3Error } from '../../errors.ts';
import { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import { loadKeyPair } from '../../exchange/identity/key-pair.ts';
import type { TrainingEvent } from '../../exchange/messages.ts';
import type { FusionChoice } from '../../fuse/fusion-config.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { runPool } from '../run-pool.ts';
import type { DemoEntities } from './demo-entities.ts';
import type { DemoOwnerReport } from './demo-owner.ts';
import type { DemoOwner } from './demo-result.ts';
import type { DemoScene } from './demo-scene.ts';

const NAME = 'grid';
const LABEL_HOLDER = 'label-holder';
/** Most processes at once: each needs a core and some 150 MB. */
const MOST_AT_ONCE = 8;

export interface DemoFit {
  model: string;
  version: number;
  card: FusedCard;
}

export class DemoFederation {
  readonly client: CoordinatorClient;
  /** Process id of the coordinator. */
  readonly pid: number;
  /** Rejects if the coordinator dies, or an entity. */
  readonly failed: Promise<never>;
  readonly name = NAME;
  readonly #scene: DemoScene;
  readonly #url: string;
  /** Fingerprint of the charter, on shares. */
  #charter: string | undefined;

  private constructor(
    scene: DemoScene,
    client: CoordinatorClient,
    coordinator: { pid: number; failed: Promise<never> },
    entities: DemoEntities | undefined,
  ) {
    this.#scene = scene;
    this.client = client;
    this.#url = client.connection.origin;
    this.pid = coordinator.pid;
    this.failed = entities ? Promise.race([coordinator.failed, entities.failed]) : coordinator.failed;
    this.failed.catch(() => undefined); // whoever waits for it gets the error
  }

  /** With entities the federation is one on shares, whose charter they have admitted. */
  static async start(scene: DemoScene, entities?: DemoEntities): Promise<DemoFederation> {
    const federation = await DemoFederation.again(scene, entities);
    const shares = entities && { entities: entities.addresses, threshold: entities.threshold };
    const created = await federation.client.createFederation(NAME, undefined, shares);
    if (entities) {
      federation.#charter = created.fingerprint as string;
      await entities.admit(federation.#charter);
    }
    return federation;
  }

  /** Starts the coordinator on whatever is in its folder. */
  static async again(scene: DemoScene, entities?: DemoEntities): Promise<DemoFederation> {
    const data = coordinatorFolder(scene);
    const args = ['serve', '--data', data, '--port', '0', '--log-level', 'error', '--no-link', '--json'];
    const { line, ...coordinator } = await scene.processes.start('coordinator', args);
    const { url, operatorKey } = JSON.parse(line) as { url: string; operatorKey: string };
    const client = new CoordinatorClient({ url, keys: await loadKeyPair(operatorKey) });
    return new DemoFederation(scene, client, coordinator, entities);
  }

  /** Each owner gets a code, then a process that joins, trains alone, sends its bundle and ends. */
  async sendOwners({ dir, owners }: Dataset, seed: number, onOwner: (done: number) => void): Promise<DemoOwner[]> {
    let done = 0;
    mkdirSync(this.#scene.path('bundles'));
    return this.pool(owners, async (owner) => {
      const { code } = await this.client.invite(NAME, { owner, role: 'owner' });
      const where = ['--home', this.home(owner), '--bundle', this.#scene.path('bundles', `${owner}.arrow`)];
      const sharing = this.#charter === undefined ? [] : ['--charter', this.#charter];
      const how = ['--url', this.#url, '--code', code, '--seed', String(seed), ...sharing];
      const folder = this.folder(dir, owner);
      const run = await this.#scene.processes.run(`owner ${owner}`, ['demo-owner', folder, ...where, ...how]);
      const { stdout, started, ended } = run;
      onOwner(++done);
      return { ...(JSON.parse(stdout) as DemoOwnerReport), started, ended };
    });
  }

  /** Sends the labels with the commands that a person would type. */
  async sendLabels(file: string): Promise<void> {
    const { code } = await this.client.invite(NAME, { owner: LABEL_HOLDER, role: 'labels' });
    const home = ['--home', this.home(LABEL_HOLDER)];
    const { processes } = this.#scene;
    await processes.run(LABEL_HOLDER, ['owner', 'join', this.#url, '--code', code, ...home]);
    await processes.run(LABEL_HOLDER, ['owner', 'push', '--labels', file, ...home]);
    // The report compares models by all digits of their scores, which the label holder has to allow.
    const { owner: operator } = await this.client.me();
    const small = ['--smallest-part', '1', '--smallest-class', '0'];
    const grant = ['--grant', operator, '--any-split', '--exact-scores', ...small];
    await processes.run(LABEL_HOLDER, ['federation', 'labels', NAME, ...grant, ...home]);
  }

  /** Runs a training on the coordinator and returns its model. */
  async fit(
    model: string,
    { preset, ...config }: FusionChoice,
    { split, classes }: Dataset,
    onEvent?: (event: TrainingEvent) => void,
  ): Promise<DemoFit> {
    const { id } = await this.client.train(NAME, { ...(preset && { preset }), config, split, classes });
    for await (const event of this.client.trainingEvents(NAME, id)) onEvent?.(event);
    const { state, model: version, error } = await this.client.training(NAME, id);
    if (state === 'done' && version) {
      return { model, version, card: (await this.client.model(NAME, version)) as unknown as FusedCard };
    }
    const found = error ? `${state}: ${error.message}` : state;
    throw new F3Error('F3_TRAINING', `training of ${model}: must end with a model, got ${found}`);
  }

  /** Fingerprint of the charter; none where the coordinator keeps embeddings. */
  get charter(): string | undefined {
    return this.#charter;
  }

  /** The coordinator's data folder. */
  get data(): string {
    return coordinatorFolder(this.#scene);
  }

  home(member: string): string {
    return this.#scene.path('homes', member);
  }

  folder(dataset: string, owner: string): string {
    return `${dataset}/owners/${owner}`;
  }

  /** Runs as many processes at once as there are cores, up to a limit. */
  pool<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    return runPool(items, Math.min(MOST_AT_ONCE, availableParallelism()), work);
  }
}

const coordinatorFolder = (scene: DemoScene): string => scene.path('coordinator');
