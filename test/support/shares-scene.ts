// A federation on shares: three entities on loopback, each with its folder, in this process or in processes of their own, a coordinator,
// owners and a label holder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { encodeArrow, textColumn } from '../../src/base/arrow-table.ts';
import { type Bundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import { federationShares } from '../../src/exchange/client/federation-shares.ts';
import { createKeyPair, type KeyPair, loadKeyPair } from '../../src/exchange/identity/key-pair.ts';
import type { LiveRequest, Role, TrainingEvent, TrainingRequest } from '../../src/exchange/messages.ts';
import { type OpenedServer, openServer } from '../../src/server/start-server.ts';
import { readCharter } from '../../src/shares/charter.ts';
import { EntityFolder } from '../../src/shares/entity/entity-folder.ts';
import { runConversation } from '../../src/shares/entity/run-conversation.ts';
import { type RunningEntity, startEntity } from '../../src/shares/entity/start-entity.ts';
import { type CodesRequest, CodingShelf } from '../../src/shares/owner/coding-shelf.ts';
import { LiveSharing } from '../../src/shares/owner/live-sharing.ts';
import { type PushedShares, pushShares, type SharesPush } from '../../src/shares/owner/push-shares.ts';
import { f3Environment, MAIN } from '../cli/run-f3.ts';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { entityUsers, giveFolder, type ProcessUser } from './entity-users.ts';
import { freePorts } from './free-ports.ts';
import { toyBundle, toyId, toyLabels } from './toy-bundles.ts';

export const CLASSES = ['calm', 'storm'];

export class SharesScene {
  readonly dir: string;
  readonly entities = new Map<number, StartedEntity>();
  readonly #inProcesses: boolean;
  /** Whose entities are, where each process has a user of its own. */
  readonly users: ProcessUser[] | undefined;
  readonly keys = new Map<string, KeyPair>();
  server!: OpenedServer;
  fingerprint = '';
  /** tls://host:port#key-id of each entity. */
  readonly addresses: string[] = [];

  private constructor(dir: string, inProcesses: boolean, users: ProcessUser[] | undefined) {
    this.dir = dir;
    this.#inProcesses = inProcesses;
    this.users = users;
  }

  /** The charter is admitted by all entities. With `inProcesses` each of them is a process, which is killed to end it. */
  static async start(dir: string, { inProcesses = false, entities = 3 } = {}): Promise<SharesScene> {
    const scene = new SharesScene(dir, inProcesses, inProcesses ? entityUsers(dir, entities) : undefined);
    const numbers = Array.from({ length: entities }, (_, i) => i + 1);
    for (const [i, port] of (await freePorts(entities)).entries()) {
      scene.addresses.push((await EntityFolder.create(scene.folderOf(i + 1), `tls://127.0.0.1:${port}`)).address);
      scene.#give(i + 1);
    }
    await Promise.all(numbers.map((entity) => scene.startEntity(entity)));
    await copyEmbeddedTemplate(join(dir, 'coordinator', 'database'));
    await scene.startServer();
    scene.keys.set('operator', await loadKeyPair(scene.server.operatorKey));
    const shares = { entities: scene.addresses, threshold: 1 };
    const created = await scene.client('operator').createFederation('grid', CLASSES, shares);
    scene.fingerprint = created.fingerprint as string;
    for (const entity of numbers) {
      (await EntityFolder.open(scene.folderOf(entity))).admit(scene.fingerprint);
      scene.#give(entity);
    }
    await scene.check();
    return scene;
  }

  folderOf(entity: number): string {
    return join(this.dir, `entity-${entity}`);
  }

  async startEntity(entity: number): Promise<void> {
    const data = this.folderOf(entity);
    const running = this.#inProcesses
      ? await entityProcess(data, this.users?.[entity - 1])
      : await startEntity({ data, program: runConversation });
    this.entities.set(entity, running);
  }

  #give(entity: number): void {
    if (this.users) giveFolder(this.folderOf(entity), this.users[entity - 1]);
  }

  async stopEntity(entity: number): Promise<void> {
    await this.entities.get(entity)?.close();
    this.entities.delete(entity);
  }

  async startServer(): Promise<void> {
    const data = join(this.dir, 'coordinator');
    const options = { data, host: '127.0.0.1', port: 0, threads: 1, requestsPerMinute: 1e6, auditSeconds: 3600 };
    this.server = await openServer({ ...options, checkpointSeconds: 0 });
  }

  async close(): Promise<void> {
    await this.server?.close();
    for (const entity of [...this.entities.keys()]) await this.stopEntity(entity);
  }

  client(member: string): CoordinatorClient {
    return new CoordinatorClient({ url: this.server.url, keys: this.key(member), backOff: { attempts: 1 } });
  }

  key(member: string): KeyPair {
    return this.keys.get(member) as KeyPair;
  }

  async join(owner: string, role: Role = 'owner'): Promise<void> {
    const { code } = await this.client('operator').invite('grid', { owner, role });
    const keys = await createKeyPair();
    await new CoordinatorClient({ url: this.server.url }).enrol(code, keys);
    this.keys.set(owner, keys);
  }

  /** Everything that an operator is told about the entities. */
  check() {
    return federationShares(this.client('operator'), 'grid', { check: true });
  }

  /** The owner's folder, which stays between calls. */
  ownerFolder(owner: string): string {
    const folder = join(this.dir, owner);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Sends a bundle in codes. */
  pushCodes(bundle: Bundle, request: CodesRequest, options: Partial<SharesPush> = {}): Promise<PushedShares> {
    const { bundle: coded, stated } = new CodingShelf(this.ownerFolder(bundle.owner)).code(bundle, request);
    return this.push(coded, { coding: stated, ...options });
  }

  /** Sends a bundle as its owner. */
  push(bundle: Bundle, options: Partial<SharesPush> = {}): Promise<PushedShares> {
    const folder = this.ownerFolder(bundle.owner);
    const { fingerprint } = this;
    const sender = { client: this.client(bundle.owner), federation: 'grid', keys: this.key(bundle.owner), folder };
    return pushShares({ ...sender, bytes: encodeBundle(bundle), fingerprint, ...options });
  }

  /** Owners with toy bundles, and labels. Several owners push at the same time. */
  async populate(bundles: readonly Bundle[], samples: number): Promise<void> {
    const waiting = [...bundles];
    const next = async () => {
      for (let bundle = waiting.shift(); bundle; bundle = waiting.shift()) {
        await this.join(bundle.owner);
        await this.push(bundle);
      }
    };
    await Promise.all([next(), next(), next(), next()]);
    await this.label(samples);
  }

  /** A label holder joins, sends labels, and lets the operator train as often as it likes. */
  async label(samples: number): Promise<void> {
    await this.join('rosemary', 'labels');
    const labels = Array.from(toyLabels(samples, 2, 1), (label) => CLASSES[label]);
    const ids = Array.from({ length: samples }, (_, s) => toyId(s));
    const client = this.client('rosemary');
    await client.upload('grid', 'labels', encodeArrow({ sample: textColumn(ids), label: textColumn(labels) }, {}));
    await client.setLabelRules('grid', { smallestPart: 1, smallestClass: 0, trainings: 1_000_000 });
    const { owner } = await this.client('operator').me();
    await client.grantLabels('grid', owner, { trainings: 1_000_000, anySplit: true, exactScores: true });
  }

  /** Trains to the end → its last event. */
  async train(request: TrainingRequest, onEvent?: (event: TrainingEvent) => Promise<void>): Promise<TrainingEvent> {
    const client = this.client('operator');
    const { id } = await client.train('grid', request);
    let last: TrainingEvent | undefined;
    for await (const event of client.trainingEvents('grid', id)) {
      last = event;
      await onEvent?.(event);
    }
    return last as TrainingEvent;
  }

  /** Sends what an owner has to say about a sample of this moment, in shares. */
  async live(
    owner: string,
    sample: string,
    embedding: Float32Array,
    { coding, ...request }: Partial<LiveRequest> & { coding?: string } = {},
  ) {
    const client = this.client(owner);
    const told = async () => federationShares(client, 'grid');
    const admission = async () => (await told()).admission as string;
    const sharing = new LiveSharing({ charter: readCharter((await told()).charter), keys: this.key(owner), admission });
    try {
      const share = await sharing.send(embedding, sample, coding);
      return await client.live('grid', sample, { share, deadlineMs: 50_000, ...request });
    } finally {
      await sharing.close();
    }
  }
}

export const toyOwners = (owners: number, samples: number): Bundle[] =>
  Array.from({ length: owners }, (_, i) => toyBundle(i, { samples, saw: (owner, s) => owner !== 1 || s % 5 !== 0 }));

/** An entity that runs, with its process if it has one of its own. */
export interface StartedEntity extends Pick<RunningEntity, 'close'> {
  child?: ChildProcess;
}

async function entityProcess(data: string, user: ProcessUser | undefined): Promise<StartedEntity> {
  const child = spawn(process.execPath, [MAIN, 'entity', 'serve', '--data', data, '--json'], {
    env: f3Environment({}),
    stdio: ['ignore', 'pipe', 'ignore'],
    ...user,
  });
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  for await (const _ of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return { child, close };
  throw new Error(`entity ${data}: ended before it listened`);
}
