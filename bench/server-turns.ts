// How long does one request hold the thread that serves all the others? The largest requests that are let in, sound and spoilt, one
// after the other; of each the longest turn counts, in time of the processor.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { encodeArrow, floatListColumn, textColumn } from '../src/base/arrow-table.ts';
import { type KeyPair, loadKeyPair } from '../src/exchange/identity/key-pair.ts';
import { signRequest } from '../src/exchange/identity/request-token.ts';
import type { Row } from './measure.ts';
import { FEDERATION, ownerNames, type Scene, type ServerSite, startSite, WIDTH } from './server-scene.ts';

const AIM_MS = 50;
const MIB = 2 ** 20;
/** Just under the longest body of a route. */
const LONGEST = 8 * MIB - 1024;
const METER = new URL('turn-meter.ts', import.meta.url).href;
const JSON_TYPE = 'application/json';
const ARROW_TYPE = 'application/vnd.apache.arrow.stream';
const BASE = `/v1/federations/${FEDERATION}`;
const INFER = `/v2/models/${FEDERATION}/infer`;

interface LargeRequest {
  name: string;
  who: 'asker' | 'owner' | 'operator';
  method?: 'GET' | 'POST';
  path: string;
  body?: Uint8Array;
  headers?: Record<string, string>;
}

export interface TurnSizes {
  /** How often each request is sent after the first time. */
  rounds: number;
  /** Bodies are this share of the largest that are let in. */
  share: number;
}

/** Each request of the list once to warm up, then some times more. `owners` are those of the model. */
export async function longestTurns(
  site: ServerSite,
  scene: Scene,
  owners: number,
  { rounds, share }: TurnSizes,
): Promise<Row[]> {
  const file = join(site.dir, 'turns');
  process.env.F3_TURNS = file;
  const server = await startSite(site, ['--import', METER]);
  delete process.env.F3_TURNS;
  const keys = { asker: scene.asker, owner: scene.owners[0].keys, operator: await loadKeyPair(server.operatorKey) };
  const rows: Row[] = [];
  try {
    for (const request of largeRequests(ownerNames(owners), share)) {
      await send(server.url, keys[request.who], request);
      rmSync(file, { force: true });
      const statuses: number[] = [];
      for (let round = 0; round < rounds; round++) {
        statuses.push(await send(server.url, keys[request.who], request));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const turns = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [0];
      rows.push({
        job: `${site.kind}: ${request.name}`,
        oursMs: Math.max(...turns),
        peers: {},
        figures: { status: statuses[0], kB: Math.round((request.body?.length ?? 0) / 1024) },
        aim: `longest turn at most ${AIM_MS} ms`,
      });
    }
  } finally {
    await server.stop();
  }
  return rows;
}

/** Gives the status. The answer is read whole. */
async function send(
  url: string,
  pair: KeyPair,
  { method = 'POST', path, body, headers }: LargeRequest,
): Promise<number> {
  const token = await signRequest(pair, { method, path, body: body ?? new Uint8Array() });
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body && { 'content-type': JSON_TYPE }), ...headers, authorization: `Bearer ${token}` },
    ...(body && { body: body as Uint8Array<ArrayBuffer> }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const text = (content: string): Uint8Array => Buffer.from(content);
const numbers = (count: number): string => `[${new Array(count).fill('0').join()}]`;

/** JSON with as many items in a list as fit, or as many as are let in. */
function filled(
  before: string,
  item: (i: number) => string,
  after: string,
  bytes: number,
  most = 5_000_000,
): Uint8Array {
  const items: string[] = [];
  let size = before.length + after.length;
  for (let i = 0; i < most; i++) {
    const next = item(i);
    size += next.length + 1;
    if (size > bytes) break;
    items.push(next);
  }
  return text(`${before}${items.join()}${after}`);
}

function largeRequests(owners: string[], share: number): LargeRequest[] {
  const shareOf = (count: number) => Math.max(1, Math.round(count * share));
  const longest = shareOf(LONGEST);
  const first = owners[0];
  const row = numbers(WIDTH);
  const sample = (own: string[]) => (i: number) =>
    `{"id":"s${i}","embeddings":{${own.map((owner) => `"${owner}":${row}`).join()}}}`;
  const table = (samples: number, own: number) => {
    const rows = Array.from({ length: samples * own }, (_, i) => i);
    return encodeArrow(
      {
        sample: textColumn(rows.map((i) => `s${Math.floor(i / own)}`)),
        owner: textColumn(rows.map((i) => owners[i % own])),
        embedding: floatListColumn(new Float32Array(rows.length * WIDTH), WIDTH),
      },
      {},
    );
  };
  const binary = (inputs: { name: string; shape: number[] }[]): Pick<LargeRequest, 'body' | 'headers'> => {
    const sizes = inputs.map(({ shape }) => 4 * shape.reduce((product, length) => product * length));
    const json = JSON.stringify({
      parameters: { graphs: 'mean' },
      inputs: inputs.map((each, i) => ({ ...each, datatype: 'FP32', parameters: { binary_data_size: sizes[i] } })),
    });
    const body = Buffer.alloc(json.length + sizes.reduce((sum, size) => sum + size));
    body.write(json);
    return {
      body,
      headers: { 'content-type': 'application/octet-stream', 'inference-header-content-length': String(json.length) },
    };
  };
  const predictions = (name: string, body: Uint8Array, type = JSON_TYPE): LargeRequest => ({
    name: `predict, ${name}`,
    who: 'asker',
    path: `${BASE}/predict`,
    body,
    headers: { 'content-type': type },
  });
  const infer = (name: string, request: Pick<LargeRequest, 'body' | 'headers'>): LargeRequest => ({
    name: `infer, ${name}`,
    who: 'asker',
    path: INFER,
    ...request,
  });
  const training = (name: string, body: Uint8Array): LargeRequest => ({
    name: `training, ${name}`,
    who: 'asker',
    path: `${BASE}/trainings`,
    body,
  });
  const read = (path: string, who: LargeRequest['who'] = 'operator'): LargeRequest => ({
    name: `GET ${path.replace(BASE, '…')}`,
    who,
    method: 'GET',
    path,
  });
  const several = owners.slice(0, 12);
  const wide = Math.floor(shareOf(8 * MIB - 4096) / (4 * WIDTH * owners.length));
  const part = (count: number, prefix: string) =>
    `[${Array.from({ length: count }, (_, i) => `"${prefix}${i}"`).join()}]`;
  return [
    predictions(
      '10,000 samples of one owner',
      filled('{"graphs":"mean","samples":[', sample([first]), ']}', longest, shareOf(10_000)),
    ),
    predictions(
      'as many samples of 12 owners as fit',
      filled('{"graphs":"mean","samples":[', sample(several), ']}', longest, shareOf(10_000)),
    ),
    predictions(
      'as many samples of all owners as fit',
      filled('{"graphs":"mean","samples":[', sample(owners), ']}', longest, shareOf(10_000)),
    ),
    predictions(
      'samples that are none',
      filled('{"samples":[', () => '0', ']}', longest),
    ),
    predictions(
      'an object of many owners',
      filled('{"samples":[{"id":"s","embeddings":{', (i) => `"k${i}":0`, '}}]}', longest),
    ),
    predictions(
      'numbers of one embedding',
      filled(`{"samples":[{"id":"s","embeddings":{"${first}":[`, () => '0', ']}}]}', longest),
    ),
    predictions('Arrow, 10,000 samples of 9 owners', table(shareOf(10_000), Math.min(9, owners.length)), ARROW_TYPE),
    predictions('Arrow, 10,000 samples of one owner', table(shareOf(10_000), 1), ARROW_TYPE),
    predictions(
      'small body of many mistakes',
      filled('{"samples":[', () => '0', ']}', shareOf(65_000)),
    ),
    infer('10,000 rows of one owner, flat', {
      body: text(
        `{"parameters":{"graphs":"mean"},"inputs":[{"name":"${first}","shape":[${shareOf(10_000)},${WIDTH}],"datatype":"FP32","data":${numbers(shareOf(10_000) * WIDTH)}}]}`,
      ),
    }),
    infer(
      '10,000 rows of 12 owners, binary',
      binary(several.map((name) => ({ name, shape: [shareOf(10_000), WIDTH] }))),
    ),
    infer(`${wide} rows of all owners, binary`, binary([{ name: 'embeddings', shape: [wide, owners.length, WIDTH] }])),
    infer('inputs that are none', { body: filled('{"inputs":[', () => '0', ']}', longest) }),
    infer('small body of many mistakes', { body: filled('{"inputs":[', () => '{}', ']}', shareOf(65_000)) }),
    training(
      'a long split',
      text(
        `{"split":{"train":${part(shareOf(600_000), '')},"validation":${part(shareOf(100_000), 'v')},"test":${part(shareOf(100_000), 't')}}}`,
      ),
    ),
    training(
      'a long graph',
      filled(
        '{"config":{"graph":"given"},"adjacency":[',
        (i) => `{"from":"${owners[i % owners.length]}","to":"${owners[(i * 7 + 1) % owners.length]}","weight":1}`,
        ']}',
        longest,
      ),
    ),
    training(
      'a matrix of all owners',
      text(
        `{"config":{"graph":"given"},"adjacency":{"owners":${JSON.stringify(owners)},"weights":[${owners.map(() => numbers(owners.length)).join()}]}}`,
      ),
    ),
    training(
      'options that nobody knows',
      filled('{', (i) => `"k${i}":0`, '}', longest),
    ),
    training('nested lists', text(`{"split":${'['.repeat(shareOf(4_000_000))}${']'.repeat(shareOf(4_000_000))}}`)),
    training(
      'half characters',
      filled('{"classes":[', () => '"\\ud83d"', ']}', longest),
    ),
    training(
      'small body of many mistakes',
      filled('{"adjacency":[', () => '0', ']}', shareOf(65_000)),
    ),
    {
      name: 'live sample, numbers',
      who: 'owner',
      path: `${BASE}/live/s1`,
      body: filled('{"embedding":[', () => '0', ']}', shareOf(4 * MIB - 1024), 190_000),
    },
    {
      name: 'federation of many classes',
      who: 'operator',
      path: '/v1/federations',
      body: filled('{"name":"other","classes":[', (i) => `"c${i}"`, ']}', shareOf(MIB - 1024)),
    },
    {
      name: 'federation of 1000 classes twice',
      who: 'operator',
      path: '/v1/federations',
      body: filled('{"name":"other","classes":["c1",', (i) => `"c${i}"`, ']}', shareOf(MIB - 1024), 1000),
    },
    {
      name: 'what-if, absent owners',
      who: 'asker',
      path: `${BASE}/models/1/what-if`,
      body: filled('{"absent":[', (i) => `"k${i}"`, ']}', shareOf(65_000)),
    },
    read(BASE),
    read('/v1/audit?limit=1000'),
    read(`${BASE}/bundles`),
    read(`${BASE}/models`),
    read(`${BASE}/models/1`),
    read(`${BASE}/models/1/graph`),
    read(`${BASE}/models/1/archive`),
    read(`${BASE}/audit?limit=1000`),
    read(`${BASE}/overlap`),
    read('/openapi.json'),
    read('/metrics'),
    read('/'),
  ];
}
