// A federation on shares in one process: three entities on loopback, each with its folder, a coordinator, owners and a label holder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeArrow, textColumn } from '../../src/base/arrow-table.ts';
import { type Bundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import { federationShares } from '../../src/exchange/client/federation-shares.ts';
import { createKeyPair, type KeyPair, loadKeyPair } from '../../src/exchange/identity/key-pair.ts';
import type { Role, TrainingEvent, TrainingRequest } from '../../src/exchange/messages.ts';
import { type OpenedServer, openServer } from '../../src/server/start-server.ts';
import { EntityFolder } from '../../src/shares/entity/entity-folder.ts';
import { runConversation } from '../../src/shares/entity/run-conversation.ts';
import { type RunningEntity, startEntity } from '../../src/shares/entity/start-entity.ts';
import { type PushedShares, pushShares, type SharesPush } from '../../src/shares/owner/push-shares.ts';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { freePorts } from './free-ports.ts';
import { toyBundle, toyId, toyLabels } from './toy-bundles.ts';

export const CLASSES = ['calm', 'storm'];

export class SharesScene {
  readonly dir: string;
  readonly entities = new Map<number, RunningEntity>();
  readonly keys = new Map<string, KeyPair>();
  server!: OpenedServer;
  fingerprint = '';
  /** tls://host:port#key-id of each entity. */
  readonly addresses: string[] = [];

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** The charter is admitted by all entities. */
  static async start(dir: string): Promise<SharesScene> {
    const scene = new SharesScene(dir);
    for (const [i, port] of (await freePorts(3)).entries()) {
      scene.addresses.push((await EntityFolder.create(scene.folderOf(i + 1), `tls://127.0.0.1:${port}`)).address);
    }
    for (const entity of [1, 2, 3]) await scene.startEntity(entity);
    await copyEmbeddedTemplate(join(dir, 'coordinator', 'database'));
    await scene.startServer();
    scene.keys.set('operator', await loadKeyPair(scene.server.operatorKey));
    const shares = { entities: scene.addresses, threshold: 1 };
    const created = await scene.client('operator').createFederation('grid', CLASSES, shares);
    scene.fingerprint = created.fingerprint as string;
    for (const entity of [1, 2, 3]) (await EntityFolder.open(scene.folderOf(entity))).admit(scene.fingerprint);
    await scene.check();
    return scene;
  }

  folderOf(entity: number): string {
    return join(this.dir, `entity-${entity}`);
  }

  async startEntity(entity: number): Promise<void> {
    this.entities.set(entity, await startEntity({ data: this.folderOf(entity), program: runConversation }));
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

  /** Sends a bundle as its owner, whose folder stays between calls. */
  push(bundle: Bundle, options: Partial<SharesPush> = {}): Promise<PushedShares> {
    const folder = join(this.dir, bundle.owner);
    mkdirSync(folder, { recursive: true });
    const { fingerprint } = this;
    const sender = { client: this.client(bundle.owner), federation: 'grid', keys: this.key(bundle.owner), folder };
    return pushShares({ ...sender, bytes: encodeBundle(bundle), fingerprint, ...options });
  }

  /** Owners with toy bundles, and labels. */
  async populate(bundles: readonly Bundle[], samples: number): Promise<void> {
    for (const bundle of bundles) {
      await this.join(bundle.owner);
      await this.push(bundle);
    }
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
  async train(request: TrainingRequest): Promise<TrainingEvent> {
    const client = this.client('operator');
    const { id } = await client.train('grid', request);
    let last: TrainingEvent | undefined;
    for await (const event of client.trainingEvents('grid', id)) last = event;
    return last as TrainingEvent;
  }
}

export const toyOwners = (owners: number, samples: number): Bundle[] =>
  Array.from({ length: owners }, (_, i) => toyBundle(i, { samples, saw: (owner, s) => owner !== 1 || s % 5 !== 0 }));
