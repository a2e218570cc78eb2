// A coordinator whose dashboard has something to show: owners of whom some have not sent, two models, and live samples on demand.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeArrow, textColumn } from '../../src/base/arrow-table.ts';
import { type Bundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import type { Coordinates } from '../../src/exchange/coordinates.ts';
import { dashboardUrl } from '../../src/exchange/identity/dashboard-url.ts';
import { createKeyPair, loadKeyPair, saveKeyPair } from '../../src/exchange/identity/key-pair.ts';
import type { Role, TrainingRequest } from '../../src/exchange/messages.ts';
import { type OpenedServer, openServer, type ServerOptions } from '../../src/server/start-server.ts';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { toyBundle, toyId, toyLabels } from './toy-bundles.ts';

export const SCENE_CLASSES = ['calm', 'fault', 'storm'];
export const SCENE_FEDERATION = 'grid';
export const SCENE_HOLDER = 'control-room';

export interface DashboardSceneOptions extends Pick<ServerOptions, 'data' | 'port' | 'limits' | 'quotas'> {
  /** Owners with a bundle. Two more have joined and sent nothing, and one is invited. */
  owners?: number;
  samples?: number;
  /** Deviation of the noise in embeddings. */
  noise?: number | undefined;
  /** Configs of the models to train before the scene starts. */
  models?: Partial<TrainingRequest>[];
}

const TWO_MODELS: Partial<TrainingRequest>[] = [
  { config: { epochs: 4, hidden: 4, seed: 1 }, promote: 'always' },
  { config: { epochs: 25, hidden: 8, seed: 2 }, promote: 'never' },
];

export class DashboardScene {
  readonly server: OpenedServer;
  /** By member; the operator is `operator`. */
  readonly clients = new Map<string, CoordinatorClient>();
  readonly #data: string;
  readonly #bundles: Bundle[] = [];
  #sent = 0;

  private constructor(server: OpenedServer, data: string) {
    this.server = server;
    this.#data = data;
  }

  static async start(options: DashboardSceneOptions): Promise<DashboardScene> {
    const { data, owners = 12, samples = 400, noise, models = TWO_MODELS, ...server } = options;
    await copyEmbeddedTemplate(join(data, 'coordinator', 'database'));
    const started = await openServer({
      port: 0,
      ...server,
      data: join(data, 'coordinator'),
      host: '127.0.0.1',
      threads: 1,
      requestsPerMinute: 1e6,
    });
    const scene = new DashboardScene(started, data);
    await scene.#gather(owners, samples, noise);
    for (const request of models) await scene.train(request);
    return scene;
  }

  client(member: string): CoordinatorClient {
    const client = this.clients.get(member);
    if (!client) throw new Error(`member ${member}: must be of the scene`);
    return client;
  }

  /** A link that opens the dashboard in a member's name. */
  async link(member = 'operator'): Promise<string> {
    return dashboardUrl(this.server.url, (await this.client(member).sessionCode()).code);
  }

  /** Trains and waits for the end. */
  async train(request: Partial<TrainingRequest> = {}): Promise<void> {
    const { id } = await this.client('operator').train(SCENE_FEDERATION, { split: 1, ...request });
    for await (const _ of this.client('operator').trainingEvents(SCENE_FEDERATION, id));
  }

  /**
   * Owners post their embeddings of the next sample, as they do all day. Every fourth sample lacks an owner, so its answer comes
   * at the deadline; the others are answered when all are there. Returns the sample's name.
   */
  async sendLive(deadlineMs = 300): Promise<string> {
    const number = this.#sent++;
    const sample = `live-${String(number).padStart(5, '0')}`;
    const present = this.#bundles.filter((_, i) => number % 4 !== 3 || i !== number % this.#bundles.length);
    await Promise.all(
      present.map(({ owner, width, embeddings, samples }) => {
        const row = number % samples.length;
        const embedding = Array.from(embeddings.subarray(row * width, (row + 1) * width));
        const isWhole = present.length === this.#bundles.length;
        return this.client(owner).live(SCENE_FEDERATION, sample, {
          embedding,
          deadlineMs: isWhole ? 50_000 : deadlineMs,
        });
      }),
    );
    return sample;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  async #gather(owners: number, samples: number, noise: number | undefined): Promise<void> {
    const operator = await loadKeyPair(this.server.operatorKey);
    this.clients.set('operator', new CoordinatorClient({ url: this.server.url, keys: operator }));
    await this.client('operator').createFederation(SCENE_FEDERATION, SCENE_CLASSES);
    const options = {
      samples,
      ...(noise !== undefined && { noise }),
      classes: SCENE_CLASSES,
      width: (owner: number) => 4 + (owner % 3),
      saw: (owner: number, sample: number) => (owner * 7 + sample) % 11 !== 0,
    };
    for (let i = 0; i < owners; i++) {
      const bundle = toyBundle(i, options);
      this.#bundles.push(bundle);
      await this.#join(bundle.owner, 'owner');
      await this.client(bundle.owner).tellCoordinates(SCENE_FEDERATION, townOf(i));
      await this.client(bundle.owner).upload(SCENE_FEDERATION, 'bundle', encodeBundle(bundle));
    }
    for (const late of ['late-1', 'late-2']) await this.#join(late, 'owner');
    await this.client('operator').invite(SCENE_FEDERATION, { owner: 'invited-1', role: 'owner' });
    await this.#join(SCENE_HOLDER, 'labels');
    const labels = toyLabels(samples, SCENE_CLASSES.length, 1);
    const columns = {
      sample: textColumn(Array.from(labels, (_, s) => toyId(s))),
      label: textColumn(Array.from(labels, (label) => SCENE_CLASSES[label])),
    };
    await this.client(SCENE_HOLDER).upload(SCENE_FEDERATION, 'labels', encodeArrow(columns, {}));
  }

  /** Keys are kept in the data folder, so that `f3` can be used beside the page. */
  async #join(owner: string, role: Role): Promise<void> {
    const { code } = await this.client('operator').invite(SCENE_FEDERATION, { owner, role });
    const keys = await createKeyPair();
    const folder = join(this.#data, 'keys');
    mkdirSync(folder, { recursive: true });
    await saveKeyPair(join(folder, `${owner}.json`), keys);
    await new CoordinatorClient({ url: this.server.url }).enrol(code, keys);
    this.clients.set(owner, new CoordinatorClient({ url: this.server.url, keys }));
  }
}

/** Owners lie around three towns. */
const townOf = (owner: number): Coordinates => {
  const [latitude, longitude] = TOWNS[owner % TOWNS.length];
  const angle = owner * 2.4;
  const away = 0.03 * Math.sqrt(owner);
  const rounded = (degrees: number) => Math.round(degrees * 1000) / 1000;
  return {
    latitude: rounded(latitude + away * Math.sin(angle)),
    longitude: rounded(longitude + away * Math.cos(angle)),
  };
};

const TOWNS = [
  [34.15, -118.3],
  [34.05, -117.75],
  [33.75, -118.05],
];
