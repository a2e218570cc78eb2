// What leaves an owner's machine: `f3 owner join`, `push` and `stream` against `f3 serve`, with every byte captured.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeArrow } from '../src/base/arrow-table.ts';
import { decodeSafetensors } from '../src/core/safetensors.ts';
import { readOwnerFolder } from '../src/data/dataset/owner-folder.ts';
import { normalise } from '../src/embed/normalise-windows.ts';
import { readModelCard } from '../src/embed/owner-model.ts';
import { decodeBundle, encodeBundle } from '../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../src/exchange/client/coordinator-client.ts';
import { createKeyPair, loadKeyPair } from '../src/exchange/identity/key-pair.ts';
import { runF3 } from './cli/run-f3.ts';
import { startF3 } from './cli/start-f3.ts';
import { CoordinatorProcess } from './support/coordinator-process.ts';
import { copyEmbeddedTemplate } from './support/embedded-template.ts';
import { findNumbers } from './support/find-numbers.ts';
import { readRequests } from './support/http-requests.ts';
import { suiteDirectory, temporaryDirectory } from './support/temporary-directory.ts';
import { toyBundle } from './support/toy-bundles.ts';
import { TOY_OWNERS, toyDataset } from './support/toy-dataset.ts';
import { TrafficTap } from './support/traffic-tap.ts';

const SAMPLES = 60;
const START_MS = 600_000;
const dir = suiteDirectory();
let coordinator: CoordinatorProcess;
let operator: CoordinatorClient;
let port: number;
beforeAll(async () => {
  await copyEmbeddedTemplate(join(dir, 'coordinator', 'database'));
  coordinator = await CoordinatorProcess.start(join(dir, 'coordinator'));
  const { url } = coordinator;
  port = Number(new URL(url).port);
  operator = new CoordinatorClient({ url, keys: await loadKeyPair(coordinator.operatorKey) });
}, START_MS);
afterAll(async () => {
  await coordinator?.stop();
}, START_MS);

/** Through the tap, as its owner types it. */
async function joinThrough(tap: TrafficTap, federation: string, owner: string, home: string): Promise<void> {
  const { code } = await operator.invite(federation, { owner, role: 'owner' });
  const address = `http://127.0.0.1:${await tap.listen()}`;
  const joined = await startF3(['owner', 'join', address, '--code', code, '--home', home]);
  expect(joined).toMatchObject({ status: 0, stderr: '' });
}

async function member(federation: string, owner: string, role: 'owner' | 'labels'): Promise<CoordinatorClient> {
  const { code } = await operator.invite(federation, { owner, role });
  const keys = await createKeyPair();
  await new CoordinatorClient({ url: coordinator.url }).enrol(code, keys);
  return new CoordinatorClient({ url: coordinator.url, keys });
}

describe('what an owner sends to join, push and stream', () => {
  const home = join(dir, 'home');
  let tap: TrafficTap;
  let data: string;
  let north: string;
  let sent: Buffer;
  let received: Buffer;
  const bundleFile = (owner: string) => join(data, 'bundles', `${owner}.arrow`);

  beforeAll(async () => {
    data = await toyDataset(dir, SAMPLES);
    north = join(data, 'owners', 'north');
    const quick = ['--width', '4', '--epochs', '2', '--batch', '16', '--normalise', 'z-score'];
    expect(runF3('owner', 'train', data, '--all', ...quick)).toMatchObject({ status: 0 });
    expect(runF3('owner', 'embed', data, '--all', '--out', join(data, 'bundles'))).toMatchObject({ status: 0 });
    await operator.createFederation('grid', ['drift', 'swing']);
    tap = new TrafficTap(port);
    await joinThrough(tap, 'grid', 'north', home);
    expect(await startF3(['owner', 'push', bundleFile('north'), '--home', home])).toMatchObject({ status: 0 });
    for (const owner of TOY_OWNERS.slice(1)) {
      await (await member('grid', owner, 'owner')).upload('grid', 'bundle', readFileSync(bundleFile(owner)));
    }
    const holder = await member('grid', 'holder', 'labels');
    await holder.upload('grid', 'labels', readFileSync(join(data, 'labels.arrow')));
    await holder.setLabelRules('grid', { smallestPart: 1, smallestClass: 0 });
    const { id } = await operator.train('grid', { config: { epochs: 2, hidden: 4 }, split: 1 });
    for await (const _ of operator.trainingEvents('grid', id));
    const streamed = await startF3(['owner', 'stream', north, '--home', home, '--quorum', '1']);
    expect(streamed).toMatchObject({ status: 0, stderr: `${SAMPLES} samples sent, ${SAMPLES} answered\n` });
    [sent, received] = [tap.sent(), tap.received()];
  }, START_MS);
  afterAll(() => tap?.close());

  const secrets = async () => {
    const { windows, labels = new Int32Array() } = await readOwnerFolder(north);
    const card = await readModelCard(north);
    if (!card?.normalisation) throw new Error('north must have been trained on normalised windows');
    const { tensors } = decodeSafetensors(readFileSync(join(north, 'model.safetensors')), 'model');
    const weights = Float32Array.from(Object.values(tensors).flatMap(({ values }) => [...values]));
    const [folder] = readdirSync(home);
    const { privateKey } = await loadKeyPair(join(home, folder, 'key.json'));
    return { windows, normalised: normalise(windows, card.normalisation), weights, labels, d: String(privateKey.d) };
  };

  it('holds no reading, raw or normalised, no weight of its model, no label and no private key', async () => {
    const { windows, normalised, weights, labels, d } = await secrets();
    for (const wire of [sent, received]) {
      expect(findNumbers(wire, windows, [1, 2])).toEqual([]);
      expect(findNumbers(wire, normalised, [1, 2])).toEqual([]);
      expect(findNumbers(wire, weights)).toEqual([]);
      expect(findLabels(wire, labels)).toEqual([]);
      expect(findKey(wire, d)).toEqual([]);
    }
    expect(sent.includes('swing')).toBe(false);
  });

  it('would have been caught: the same search finds all of it where it is', async () => {
    const { windows, normalised, weights, labels, d } = await secrets();
    const leak = new TrafficTap(port);
    const line = connect(await leak.listen(), '127.0.0.1');
    const forms = [
      readFileSync(join(north, 'windows.arrow')),
      JSON.stringify({ window: [...normalised] }),
      readFileSync(join(north, 'model.safetensors')).toString('base64'),
      readFileSync(join(north, 'labels.arrow')),
      readFileSync(join(home, readdirSync(home)[0], 'key.json')),
    ];
    for (const form of forms) line.write(form);
    await expect.poll(() => leak.sent().length).toBe(forms.reduce((sum, form) => sum + Buffer.byteLength(form), 0));
    line.destroy();
    const leaked = leak.sent();
    leak.close();
    expect(findNumbers(leaked, windows, [1, 2]).length).toBeGreaterThan(windows.length * 0.99);
    expect(findNumbers(leaked, normalised, [1, 2]).length).toBeGreaterThan(normalised.length * 0.99);
    expect(findNumbers(leaked, weights).length).toBeGreaterThan(weights.length * 0.9);
    expect(findLabels(leaked, labels)).not.toEqual([]);
    expect(findKey(leaked, d)).not.toEqual([]);
    for (const order of ['LE', 'BE'] as const) {
      const doubles = Buffer.alloc(8 * windows.length);
      windows.forEach((value, i) => void doubles[`writeDouble${order}`](value, 8 * i));
      expect(findNumbers(doubles, windows).length).toBeGreaterThan(windows.length * 0.99);
    }
  });

  it('is, to the last byte: code, public key, signed tokens, the bundle, and per live sample its id and embedding', async () => {
    const bundle = readFileSync(bundleFile('north'));
    const { samples, embeddings, width } = decodeBundle(bundle, 'north');
    const requests = tap.connections().flatMap((line) => readRequests(line.sent));
    const enrolled = await loadKeyPair(join(home, readdirSync(home)[0], 'key.json'));
    const told: Buffer[] = [];
    const live = new Map<string, unknown>();
    for (const { method, path, headers, body } of requests) {
      const where = `${method} ${path}`.replace(/[0-9a-f-]{36}/, ':id').replace(/live\/.*/, 'live/:sample');
      const { authorization, ...others } = headers;
      expect(Object.keys(others).filter((name) => !HTTP_HEADERS.includes(name))).toEqual([]);
      if (where === 'POST /v1/enrol') {
        const { code, publicKey, ...rest } = JSON.parse(String(body));
        expect({ code: typeof code, publicKey, rest }).toEqual({
          code: 'string',
          publicKey: enrolled.publicKey,
          rest: {},
        });
        expect(authorization).toBeUndefined();
        continue;
      }
      const claims = JSON.parse(String(Buffer.from(authorization.split('.')[1], 'base64url')));
      expect(Object.keys(claims).sort()).toEqual(['bsh', 'exp', 'htm', 'htu', 'iat', 'jti']);
      if (where === 'POST /v1/federations/grid/uploads') {
        const { sha256, ...announced } = JSON.parse(String(body));
        expect({ sha256: typeof sha256, announced }).toEqual({
          sha256: 'string',
          announced: { kind: 'bundle', size: bundle.length },
        });
      } else if (where.startsWith('PUT /v1/federations/grid/uploads/:id?offset=')) told.push(body);
      else if (where === 'POST /v1/federations/grid/live/:sample')
        live.set(path.split('/').at(-1) ?? '', JSON.parse(String(body)));
      else {
        // The end of the upload, and the question whether live samples must be sent in shares.
        const empty = ['POST /v1/federations/grid/uploads/:id/complete', 'GET /v1/federations/grid/shares'];
        expect([empty.includes(where), where, body.length]).toEqual([true, where, 0]);
      }
    }
    expect(Buffer.compare(Buffer.concat(told), bundle)).toBe(0);
    const rows = samples.map((sample, row) => [
      sample,
      { embedding: [...embeddings.subarray(row * width, (row + 1) * width)], quorum: 1 },
    ]);
    expect(Object.fromEntries(live)).toEqual(Object.fromEntries(rows));

    // The bundle itself: ids, embeddings, the local model's votes, and a card with the owner's name, the model's hash and objective.
    const table = decodeArrow(bundle);
    expect(table.schema.names).toEqual(['sample', 'embedding', 'probabilities']);
    const card = ['f3.created', 'f3.format', 'f3.model', 'f3.objective', 'f3.owner', 'f3.version', 'f3.width'];
    expect([...table.schema.metadata.keys()].filter((key) => !card.includes(key))).toEqual([]);
  });

  it('brings back answers, nothing that other owners or the label holder sent', () => {
    for (const other of TOY_OWNERS.slice(1)) {
      const { embeddings } = decodeBundle(readFileSync(bundleFile(other)), other);
      expect(findNumbers(received, embeddings)).toEqual([]);
    }
    expect(received.includes('"probabilities"')).toBe(true);
  });
});

describe('an owner on a line that keeps breaking', () => {
  it(
    'pushes its bundle whole and once, though the line breaks in the middle of chunks and before answers',
    async () => {
      await operator.createFederation('far');
      const [home, tap] = [temporaryDirectory(), new TrafficTap(port)];
      await joinThrough(tap, 'far', 'owner-0', home);
      const bytes = encodeBundle(toyBundle(0, { samples: 20_000, width: () => 24 }));
      const file = join(home, 'owner-0.arrow');
      writeFileSync(file, bytes);
      const before = tap.sent().length;
      tap.cuts = [0.1, 0.4, 0.7, 1, 1.3].map((share) => before + Math.floor(share * bytes.length));
      const push = ['owner', 'push', file, '--home', home, '--json'];
      tap.answersToLose = 1;
      const pushed = await startF3(push);
      expect(pushed).toMatchObject({ status: 0, stderr: expect.stringContaining('got a dropped connection') });
      expect(JSON.parse(pushed.stdout)).toMatchObject({ version: 1, bytes: bytes.length });
      expect(tap.cutsMade).toBeGreaterThanOrEqual(5);

      tap.answersToLose = 1;
      const again = await startF3(push);
      expect(JSON.parse(again.stdout)).toMatchObject({ version: 1, sent: 0 });
      tap.close();
      const { owners } = await operator.status('far');
      expect(owners).toMatchObject([{ owner: 'owner-0', bundle: { version: 1, samples: 20_000 } }]);
      const actions = (await operator.audit('far')).map(({ action }) => action);
      expect(actions.filter((action) => action === 'bundle.received')).toHaveLength(1);
    },
    START_MS,
  );
});

/** What undici and the client add; their values say nothing about the owner. */
const HTTP_HEADERS = [
  'host',
  'connection',
  'accept',
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
  'accept-encoding',
  'content-type',
  'content-length',
  'keep-alive',
];

/** Runs of twelve labels, as integers of any size or as a list of digits. */
function findLabels(bytes: Buffer, labels: Int32Array): number[] {
  const [text, run] = [bytes.toString('latin1'), 12];
  return Array.from({ length: Math.max(0, labels.length - run) }, (_, at) => at).filter((at) => {
    const part = labels.slice(at, at + run);
    if (new Set(part).size === 1) return false;
    const arrays = [
      Int8Array.from(part),
      Int16Array.from(part),
      part,
      BigInt64Array.from(part, BigInt),
      Float32Array.from(part),
    ];
    const forms = arrays.map((array) => Buffer.from(array.buffer).toString('latin1'));
    return [...forms, part.join(), part.join('')].some((form) => text.includes(form));
  });
}

function findKey(bytes: Buffer, d: string): string[] {
  const secret = Buffer.from(d, 'base64url');
  return [d, secret.toString('latin1'), secret.toString('hex'), secret.toString('base64')].filter((form) =>
    bytes.toString('latin1').includes(form),
  );
}
