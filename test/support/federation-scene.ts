// A coordinator with a federation as in real life: owners with bundles, labels and a model; and a way to ask it anything.
import { request } from 'node:http';
import { join } from 'node:path';
import { encodeArrow, textColumn } from '../../src/base/arrow-table.ts';
import { encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import { createKeyPair, type KeyPair, loadKeyPair } from '../../src/exchange/identity/key-pair.ts';
import { signRequest } from '../../src/exchange/identity/request-token.ts';
import type { Role } from '../../src/exchange/messages.ts';
import { type OpenedServer, openServer, type ServerOptions } from '../../src/server/start-server.ts';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { toyBundle, toyId, toyLabels } from './toy-bundles.ts';

export const OWNERS = ['owner-0', 'owner-1', 'owner-2'];
/** A name that occurs in no text of ours, so that finding it is finding a leak. */
export const LABEL_HOLDER = 'rosemary';
export const SAMPLES = 60;
export const WIDTH = 4;

export interface Asked {
  method?: string;
  /** The path, which is sent as it is. */
  path: string;
  /** The body; objects are sent as JSON. */
  body?: Uint8Array | object;
  type?: string;
  /** A token instead of a fresh one of the asking member; '' for none. */
  token?: string;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  /** The code of the answer, if it is a problem. */
  code?: string;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface SceneOptions extends Omit<ServerOptions, 'host' | 'port' | 'work'> {
  /** Whether trainings are run after there is a model. Default: true. */
  work?: boolean;
}

export class FederationScene {
  server: OpenedServer;
  /** Keys by member; the operator is `operator`. */
  readonly keys = new Map<string, KeyPair>();
  /** All enrolment codes that were given out. */
  readonly codes: string[] = [];
  readonly labels: Uint8Array;
  readonly bundles = new Map<string, Uint8Array>();

  private constructor(server: OpenedServer) {
    this.server = server;
    this.labels = this.labelled(() => true);
  }

  /** Encodes the labels of some of the samples. */
  labelled(has: (sample: number) => boolean): Uint8Array {
    const numbers = Array.from({ length: SAMPLES }, (_, s) => s).filter(has);
    const labels = toyLabels(SAMPLES, 2, 1);
    const names = numbers.map((s) => ['calm', 'storm'][labels[s]]);
    return encodeArrow({ sample: textColumn(numbers.map(toyId)), label: textColumn(names) }, {});
  }

  static async start({ work = true, ...options }: SceneOptions): Promise<FederationScene> {
    if (!options.database) await copyEmbeddedTemplate(join(options.data, 'database'));
    const start = (trains: boolean) =>
      openServer({
        requestsPerMinute: 1e6,
        auditSeconds: 3600,
        ...options,
        host: '127.0.0.1',
        port: 0,
        work: trains,
        threads: 1,
      });
    const scene = new FederationScene(await start(true));
    scene.keys.set('operator', await loadKeyPair(scene.server.operatorKey));
    await scene.client('operator').createFederation('grid', ['calm', 'storm']);
    for (const [i, owner] of OWNERS.entries()) {
      await scene.join(owner);
      const bytes = encodeBundle(toyBundle(i, { samples: SAMPLES, width: () => WIDTH }));
      scene.bundles.set(owner, bytes);
      await scene.client(owner).upload('grid', 'bundle', bytes);
    }
    await scene.join(LABEL_HOLDER, 'labels');
    await scene.client(LABEL_HOLDER).upload('grid', 'labels', scene.labels);
    await scene.allowAll(LABEL_HOLDER, 'grid');
    const { id } = await scene.client('operator').train('grid', { config: { epochs: 2, hidden: 4 }, split: 1 });
    for await (const _ of scene.client('operator').trainingEvents('grid', id));
    if (work) return scene;
    await scene.server.close();
    scene.server = await start(false);
    return scene;
  }

  client(member: string): CoordinatorClient {
    return new CoordinatorClient({ url: this.server.url, keys: this.key(member), backOff: { attempts: 1 } });
  }

  key(member: string): KeyPair {
    return this.keys.get(member) as KeyPair;
  }

  async join(owner: string, role: Role = 'owner', federation = 'grid'): Promise<void> {
    const { code } = await this.client('operator').invite(federation, { owner, role });
    this.codes.push(code);
    const keys = await createKeyPair();
    await new CoordinatorClient({ url: this.server.url }).enrol(code, keys);
    this.keys.set(owner, keys);
  }

  /** Lets the operator train on a label holder's labels as it likes. Tests of what is allowed use federations of their own. */
  async allowAll(holder: string, federation: string): Promise<void> {
    const client = this.client(holder);
    await client.setLabelRules(federation, { smallestPart: 1, smallestClass: 0, trainings: 1_000_000 });
    const { owner } = await this.client('operator').me();
    await client.grantLabels(federation, owner, { trainings: 1_000_000, anySplit: true, exactScores: true });
  }

  async sign(member: string, { method = 'GET', path, body }: Asked, at?: Date): Promise<string> {
    return signRequest(this.key(member), { method, path, body: bytesOf(body) }, at);
  }

  /** Sends a request byte for byte, so that no library tidies its path. */
  async ask(member: string, asked: Asked): Promise<Answered> {
    const { method = 'GET', path, body, type = 'application/json', headers = {} } = asked;
    const token = asked.token ?? (await this.sign(member, asked));
    const payload = bytesOf(body);
    const { hostname, port } = new URL(this.server.url);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          hostname,
          port,
          method,
          path,
          agent: false,
          headers: {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(body !== undefined && { 'content-type': type, 'content-length': payload.length }),
            ...headers,
          },
        },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          const text = Buffer.concat(chunks).toString('latin1');
          const { code } = response.headers['content-type']?.includes('json') ? JSON.parse(text || '{}') : {};
          resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers, ...(code && { code }) });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  /**
   * Counts the rows of every table and of the queue; not tokens, which are used up whatever comes of a request, nor heads,
   * which are signed at any time, nor what is left of uploads that were refused, which is the refusal alone.
   */
  async rowCounts(): Promise<Record<string, number>> {
    const { rows } = await this.server.store.executeSql(
      `select table_schema || '.' || table_name as name from information_schema.tables
        where table_type = 'BASE TABLE' and (table_schema = 'public' or table_name = 'job') and table_name not in ('used_tokens', 'early_tokens', 'audit_heads')
        order by 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of rows as { name: string }[]) {
      const [{ count }] = (await this.server.store.executeSql(`select count(*)::int as count from ${name}`)).rows;
      counts[name] = count as number;
    }
    const [{ refused }] = (
      await this.server.store.executeSql("select count(*)::int as refused from uploads where state = 'refused'")
    ).rows;
    for (const name of ['public.uploads', 'public.blobs']) counts[name] -= refused as number;
    return counts;
  }
}

function bytesOf(body: Asked['body']): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body));
}
