import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Events, ToyCoordinator } from '../../../test/support/toy-coordinator.ts';
import type { F3Error } from '../../errors.ts';
import { createKeyPair, type KeyPair } from '../identity/key-pair.ts';
import type { Clock } from './back-off.ts';
import { CoordinatorClient } from './coordinator-client.ts';

let coordinator: ToyCoordinator;
let keys: KeyPair;
let waits: number[];
/** Never waits; chance always in the middle. */
const clock: Clock = { now: () => new Date(), sleep: async (ms) => void waits.push(ms), random: () => 0.5 };
let url: string;

beforeEach(async () => {
  waits = [];
  coordinator = new ToyCoordinator();
  url = `http://127.0.0.1:${await coordinator.listen()}`;
  keys = await createKeyPair();
});
afterEach(() => coordinator.close());

const clientOf = (options: Partial<ConstructorParameters<typeof CoordinatorClient>[0]> = {}) =>
  new CoordinatorClient({ url, keys, clock, ...options });

async function member(): Promise<CoordinatorClient> {
  const client = clientOf();
  await new CoordinatorClient({ url, clock }).enrol(coordinator.invite('north'), keys);
  coordinator.seen.length = 0;
  return client;
}

/** Lets the first `times` requests fail. */
function failing(times: number, fault: ReturnType<ToyCoordinator['fault']>): void {
  let left = times;
  coordinator.fault = () => (left-- > 0 ? fault : undefined);
}

const MB = 1024 * 1024;
const fileOf = (size: number) => Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 255);

describe('a request', () => {
  test('enrols with the code and the public key, without a token', async () => {
    const client = new CoordinatorClient({ url, clock });
    const enrolled = await client.enrol(coordinator.invite('north'), keys);
    expect(enrolled).toEqual({ federation: 'grid', owner: 'north', role: 'owner', keyId: keys.id });
    const [{ token, body }] = coordinator.seen;
    expect(token).toBeUndefined();
    expect(Object.keys(JSON.parse(body.toString()).publicKey).sort()).toEqual(['crv', 'kty', 'x']);
  });

  test('goes out again after a dropped line, later each time, with a fresh token', async () => {
    const client = await member();
    failing(3, 'drop');
    await client.live('grid', 's 1/ä?', { embedding: [1, 2] });
    expect(coordinator.paths('POST')).toEqual(Array(4).fill('/v1/federations/grid/live/s%201%2F%C3%A4%3F'));
    expect(new Set(coordinator.seen.map(({ token }) => token)).size).toBe(4);
    expect(waits).toEqual([187.5, 375, 750]); // three quarters of 250, 500, 1000
  });

  test('is given up after eight attempts, about half a minute', async () => {
    const client = await member();
    failing(100, 'drop');
    await expect(client.status('grid')).rejects.toMatchObject({
      code: 'F3_CLIENT_UNREACHABLE',
      message: `coordinator ${url}: must answer, got a dropped connection`,
    });
    expect(coordinator.seen).toHaveLength(8);
    expect(waits).toHaveLength(7);
    expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(20_000);
  });

  test('to nobody says so', async () => {
    coordinator.close();
    const told: number[] = [];
    const client = clientOf({ backOff: { attempts: 3 }, onRetry: (_, milliseconds) => told.push(milliseconds) });
    await expect(client.status('grid')).rejects.toMatchObject({
      code: 'F3_CLIENT_UNREACHABLE',
      message: `coordinator ${url}: must answer, got a refused connection`,
    });
    expect(told).toEqual([187.5, 375]);
  });

  test('without an answer in time counts as failed', async () => {
    await member();
    coordinator.route = () => new Promise((resolve) => setTimeout(resolve, 20_000).unref());
    const client = clientOf({ timeout: 500, backOff: { attempts: 2 } });
    await expect(client.status('grid')).rejects.toMatchObject({
      code: 'F3_CLIENT_UNREACHABLE',
      message: expect.stringContaining('no answer in time'),
    });
    expect(coordinator.seen).toHaveLength(2);
  });

  test('waits as long as 429 asks for', async () => {
    const client = await member();
    const body = { code: 'F3_ARGUMENT', message: 'slower' };
    failing(1, { status: 429, body, headers: { 'retry-after': '7' } });
    await client.live('grid', 's', { embedding: [1] });
    expect(waits).toEqual([7000 + 187.5]);
  });

  test('gives up when it is asked to wait for an hour', async () => {
    const client = await member();
    failing(9, { status: 503, body: '', headers: { 'retry-after': '3600' } });
    await expect(client.status('grid')).rejects.toMatchObject({ code: 'F3_CLIENT_RESPONSE' });
    expect(waits).toEqual([]);
  });

  test.each([502, 503, 504])('goes out again after a %i', async (status) => {
    const client = await member();
    failing(2, { status, body: '<html>proxy</html>' });
    await client.live('grid', 's', { embedding: [1] });
    expect(waits).toHaveLength(2);
  });

  test('goes out again when a busy machine sent it so slowly that the coordinator stopped waiting for the rest', async () => {
    const client = await member();
    failing(2, { status: 408, body: { code: 'F3_REQUEST_TIMEOUT', message: 'request: must come faster' } });
    await client.live('grid', 's', { embedding: [1] });
    expect(waits).toHaveLength(2);
  });

  test('goes out again with a fresh token after F3_AUTH_RETRY', async () => {
    const client = await member();
    failing(1, { status: 401, body: { code: 'F3_AUTH_RETRY', message: 'again' } });
    await client.live('grid', 's', { embedding: [1] });
    const [first, second] = coordinator.seen.map(({ token }) => token);
    expect(second).not.toBe(first);
  });

  test('goes out again when the disk of the coordinator is full, since its operator may make room', async () => {
    const client = await member();
    failing(2, { status: 507, body: { code: 'F3_DISK_FULL', message: 'no room' } });
    await client.live('grid', 's', { embedding: [1] });
    expect(waits).toHaveLength(2);
  });

  test.each([
    [400, 'F3_ARGUMENT'],
    [507, 'F3_OUT_OF_MEMORY'],
    [401, 'F3_AUTH_TOKEN'],
    [409, 'F3_MODEL_EXISTS'],
    [422, 'F3_BUNDLE_NOT_FINITE'],
  ])('that is refused with %i %s is not repeated, and the refusal is the error', async (status, code) => {
    const client = await member();
    failing(1, { status, body: { code, message: 'thing: rule,\n got \u001b[31mvalue' } });
    const error = await client.status('grid').catch((thrown: F3Error) => thrown);
    expect(error).toMatchObject({ name: 'F3Error', code, message: 'thing: rule, got [31mvalue' });
    expect(coordinator.seen).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test.each([
    [{ status: 400, body: { code: 'F3_FROM_THE_FUTURE', message: 'new' } }, 'status 400 F3_FROM_THE_FUTURE: new'],
    [{ status: 500, body: 'oh' }, 'status 500: oh'],
    [{ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }, 'status 302'],
    [{ status: 200, body: '<html>' }, '<html>'],
    [{ status: 200, body: { name: 7 } }, 'name must be a text, got 7'],
    [{ status: 200, body: 'null' }, 'name must be a text, got nothing'],
  ])('with an answer that is not f3’s names it: %o', async (fault, found) => {
    const client = await member();
    failing(1, fault);
    const error = await client.status('grid').catch((thrown: F3Error) => thrown);
    expect(error).toMatchObject({ code: 'F3_CLIENT_RESPONSE', message: expect.stringContaining(found) });
    expect(coordinator.seen).toHaveLength(1);
  });

  test('whose path a URL would rewrite is never sent', async () => {
    const client = await member();
    for (const sample of ['.', '..']) {
      await expect(client.live('grid', sample, { embedding: [1] })).rejects.toMatchObject({ code: 'F3_ARGUMENT' });
    }
    expect(coordinator.seen).toEqual([]);
  });

  test('needs a coordinator’s address without path or password', () => {
    for (const wrong of ['x', 'ftp://a', 'http://a/b', 'http://u:p@a', 'http://a?b', 'http://a#b']) {
      expect(() => clientOf({ url: wrong })).toThrow(expect.objectContaining({ code: 'F3_ARGUMENT' }));
    }
    expect(clientOf({ url: 'https://a.example:443/' }).connection.origin).toBe('https://a.example');
  });
});

describe('an upload', () => {
  test('arrives whole, in chunks, and is counted once', async () => {
    const client = await member();
    const bytes = fileOf(2.5 * MB);
    const progress: number[] = [];
    const stored = await client.upload('grid', 'bundle', bytes, (received) => progress.push(received));
    expect(stored).toMatchObject({ kind: 'bundle', version: 1, sent: bytes.length });
    expect(progress).toEqual([0, MB, 2 * MB, 2.5 * MB]);
    const [upload] = coordinator.uploads.values();
    expect(Buffer.compare(upload.bytes, bytes)).toBe(0);
  });

  test('goes on where the coordinator stopped when the line drops in the middle', async () => {
    const client = await member();
    const bytes = fileOf(3 * MB);
    let puts = 0;
    coordinator.fault = ({ method }) => (method === 'PUT' && ++puts === 2 ? 'drop' : undefined);
    const stored = await client.upload('grid', 'bundle', bytes);
    expect(stored).toMatchObject({ version: 1, sent: 4 * MB });
    const offsets = coordinator.paths('PUT').map((path) => Number(path.split('offset=')[1]) / MB);
    expect(offsets).toEqual([0, 1, 1, 1.5, 2.5]); // a smaller chunk after the drop, then larger again
    expect(waits).toEqual([187.5]);
    expect(Buffer.compare([...coordinator.uploads.values()][0].bytes, bytes)).toBe(0);
  });

  test('sends nothing twice when only the answer was lost', async () => {
    const client = await member();
    let puts = 0;
    coordinator.fault = ({ method }) => (method === 'PUT' && ++puts === 1 ? 'lose answer' : undefined);
    await expect(client.upload('grid', 'bundle', fileOf(2 * MB))).resolves.toMatchObject({ sent: 2 * MB });
    expect(coordinator.paths('PUT').map((path) => path.split('offset=')[1])).toEqual([
      '0',
      String(MB),
      String(1.5 * MB),
    ]);
  });

  test('goes on in another process from what was received', async () => {
    const client = await member();
    const bytes = fileOf(3 * MB);
    coordinator.fault = ({ path }) =>
      path.endsWith(`offset=${2 * MB}`) ? { status: 422, body: { code: 'F3_ARGUMENT', message: 'stop' } } : undefined;
    await expect(client.upload('grid', 'bundle', bytes)).rejects.toThrow('stop');
    coordinator.fault = () => undefined;
    const progress: number[] = [];
    const stored = await clientOf().upload('grid', 'bundle', bytes, (received) => progress.push(received));
    expect(stored).toMatchObject({ version: 1, sent: MB });
    expect(progress).toEqual([2 * MB, 3 * MB]);
  });

  test('that is there already is not sent again', async () => {
    const client = await member();
    const first = await client.upload('grid', 'bundle', fileOf(1000));
    const progress: number[][] = [];
    const again = await client.upload('grid', 'bundle', fileOf(1000), (...step) => progress.push(step));
    expect(again).toEqual({ ...first, sent: 0 });
    expect(progress).toEqual([[1000, 1000]]);
    expect(coordinator.paths('PUT')).toHaveLength(1);
  });

  test('takes the offset from the coordinator when they disagree', async () => {
    const client = await member();
    let puts = 0;
    const body = { code: 'F3_UPLOAD_OFFSET', message: 'elsewhere' };
    coordinator.fault = ({ method }) => (method === 'PUT' && ++puts === 1 ? { status: 409, body } : undefined);
    await expect(client.upload('grid', 'bundle', fileOf(1000))).resolves.toMatchObject({ version: 1 });
    expect(waits).toEqual([]);
  });

  test('is given up when nothing arrives any more', async () => {
    const client = await member();
    coordinator.fault = ({ method }) => (method === 'PUT' ? 'drop' : undefined);
    await expect(client.upload('grid', 'bundle', fileOf(1000))).rejects.toMatchObject({
      code: 'F3_CLIENT_UNREACHABLE',
    });
    expect(coordinator.paths('PUT')).toHaveLength(8);
    coordinator.fault = ({ method }) => (method === 'PUT' ? { status: 200, body: { received: 0 } } : undefined);
    await expect(client.upload('grid', 'bundle', fileOf(1000))).rejects.toThrow('got stuck at byte 0');
  });

  test('of which another content arrived fails, whoever notices', async () => {
    const client = await member();
    coordinator.route = ({ method, path }) => {
      const upload = [...coordinator.uploads.values()][0];
      if (upload && method === 'POST' && path.endsWith('/complete')) upload.bytes[0] ^= 1;
      return undefined;
    };
    await expect(client.upload('grid', 'bundle', fileOf(1000))).rejects.toMatchObject({ code: 'F3_UPLOAD_HASH' });
    coordinator.route = ({ path }) =>
      path.endsWith('/complete') ? { kind: 'bundle', version: 1, newest: 1, sha256: '00' } : undefined;
    await expect(client.upload('grid', 'bundle', fileOf(999))).rejects.toThrow(/SHA-256 must be .*, got 00/);
    expect(waits).toEqual([]);
  });
});

describe('a training’s events', () => {
  const collect = async (client: CoordinatorClient) => {
    const events: unknown[] = [];
    for await (const event of client.trainingEvents('grid', 't1')) events.push(event);
    return events;
  };

  test('are read to the final state, through comments and breaks of the line', async () => {
    const client = await member();
    const streams = [
      ': hello\n\nid: 1\nevent: progress\ndata: {"epoch":1}\n\nid: 2\r\ndata: {"epoch":\r\ndata: 2}\r\n\r\n',
      '',
      'id: 3\ndata: {"epoch":3}\n\nid: 4\ndata: {"state":"done","model":1}\n\nid: 5\ndata: {"epoch":9}\n\n',
    ];
    coordinator.route = () => new Events(streams.shift() ?? '');
    expect(await collect(client)).toEqual([{ epoch: 1 }, { epoch: 2 }, { epoch: 3 }, { state: 'done', model: 1 }]);
    expect(waits).toHaveLength(2);
  });

  test('that never end are given up', async () => {
    const client = await member();
    coordinator.route = () => new Events(': nothing\n\n');
    await expect(collect(client)).rejects.toMatchObject({ code: 'F3_CLIENT_UNREACHABLE' });
    expect(coordinator.seen).toHaveLength(8);
  });
});

test('lists come bare or under their name', async () => {
  const client = await member();
  coordinator.route = ({ path }) => (path.endsWith('/models') ? { models: [{ version: 1 }] } : [{ id: 1 }]);
  expect(await client.models('grid')).toEqual([{ version: 1 }]);
  expect(await client.audit('grid', { after: 5, limit: 2 })).toEqual([{ id: 1 }]);
  expect(coordinator.paths('GET')[1]).toBe('/v1/federations/grid/audit?after=5&limit=2');
});
