// Attacks with bodies: floods of enrolments, bodies of strangers, bodies that announce more than there is room for.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrol, GRID, predict } from '../../../test/support/attack-requests.ts';
import { FederationScene } from '../../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { createKeyPair } from '../../exchange/identity/key-pair.ts';

const MIB = 2 ** 20;

describe('an attack with bodies', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    const limits = { bytesInFlight: 12 * MIB, bytesInFlightPerAddress: 10 * MIB, wrongCodesPerMinute: 20 };
    scene = await FederationScene.start({ data: join(dir, 'data'), work: false, limits });
  });
  afterAll(() => scene?.server.close());

  /** Sends the head of a request and some of its body, and returns what is answered while the rest is missing. */
  async function begin(head: string, body = ''): Promise<{ answer: () => Promise<string>; end: () => void }> {
    const { hostname, port } = new URL(scene.server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write(`${head}\r\nHost: x\r\n\r\n${body}`);
    const heard = once(socket, 'data');
    return { answer: async () => String((await heard)[0]), end: () => socket.destroy() };
  }

  it.each([
    ['enrolment', '/v1/enrol'],
    ['a route that does not exist', '/v1/nothing'],
  ])('that floods %s with 8 MiB is refused before the body has come', async (_, path) => {
    const head = `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${8 * MIB}`;
    const { answer, end } = await begin(head, '{"code":"');
    expect(await answer()).toMatch(/^HTTP\/1\.1 413 .*"F3_REQUEST_SIZE"/s);
    end();
  });

  it('that goes on sending after its refusal is neither read nor waited for', async () => {
    const { hostname, port } = new URL(scene.server.url);
    const socket = connect(Number(port), hostname);
    let heard = '';
    socket.on('data', (data) => {
      heard += data;
    });
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const length = 512 * MIB;
    socket.write(`POST /v1/enrol HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
    const piece = Buffer.alloc(MIB, 'x');
    let sent = 0;
    const send = () => {
      while (!socket.destroyed && sent < length) {
        sent += MIB;
        if (!socket.write(piece)) return void socket.once('drain', send);
      }
    };
    send();
    await closed;
    expect(heard).toMatch(/^HTTP\/1\.1 413 .*connection: close/is);
    expect(sent).toBeLessThan(length / 4);
  });

  it('that sends many bodies at once has hardly any of them read after it was refused', async () => {
    const { hostname, port } = new URL(scene.server.url);
    const sockets: Socket[] = [];
    const note = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    subscribe('net.server.socket', note);
    const body = Buffer.alloc(MIB, 'x');
    const clients = Array.from({ length: 40 }, () => {
      const client = connect(Number(port), hostname);
      client.on('error', () => undefined);
      client.write(`POST /v1/enrol HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
      client.write(body);
      return client;
    });
    const answers = await Promise.all(clients.map(async (client) => String((await once(client, 'data'))[0])));
    await new Promise((resolve) => setTimeout(resolve, 200));
    unsubscribe('net.server.socket', note);
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 413'))).toBe(true);
    expect(sockets).toHaveLength(40);
    expect(sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)).toBeLessThan(20 * MIB);
    for (const client of clients) client.destroy();
  });

  it('that was a mistake of a client that sends everything before it listens is told so', async () => {
    const { hostname, port } = new URL(scene.server.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.pause();
    socket.write(`POST /v1/enrol HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * MIB}\r\n\r\n`);
    await new Promise((resolve) => socket.write(Buffer.alloc(2 * MIB, 'x'), resolve));
    let heard = '';
    for await (const data of socket) heard += data;
    expect(heard).toMatch(/^HTTP\/1\.1 413 .*F3_REQUEST_SIZE/s);
  });

  it('that floods enrolment with a body without a length is cut off at a few KiB', async () => {
    const { hostname, port } = new URL(scene.server.url);
    const socket = connect(Number(port), hostname);
    const heard = once(socket, 'data');
    socket.on('error', () => undefined);
    const head =
      'POST /v1/enrol HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    socket.write(`${head}4000\r\n${'x'.repeat(0x4000)}\r\n`);
    expect(String((await heard)[0])).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it.each(['a forged signature', 'a signature for another path'])(
    'under %s is refused before the body has come',
    async (what) => {
      if (what === 'a forged signature') {
        scene.keys.set('forger', { ...(await createKeyPair()), id: scene.key('operator').id });
      }
      const path = `${GRID}/predict`;
      const asked = { method: 'POST', path: what === 'a forged signature' ? path : `${path}2`, body: {} };
      const token = await scene.sign(what === 'a forged signature' ? 'forger' : 'operator', asked);
      const head = `POST ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${8 * MIB}`;
      const { answer, end } = await begin(head, '{');
      expect(await answer()).toMatch(/^HTTP\/1\.1 401 .*"F3_AUTH_(TOKEN|TAMPERED|UNKNOWN)"/s);
      end();
    },
  );

  it('that holds bodies open leaves room for no more, says so, and gives the room back', async () => {
    const path = `${GRID}/predict`;
    const holding = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const token = await scene.sign('operator', { method: 'POST', path, body: {} });
        const head = `POST ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${6 * MIB}`;
        return begin(head, '{');
      }),
    );
    // Two bodies of 6 MiB do not fit into 10 MiB: one of them is refused, the other holds its place.
    const refused = await Promise.race(holding.map(({ answer }) => answer()));
    expect(refused).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*"F3_BUSY"/is);
    const large = predict({ samples: [], filler: 'x'.repeat(6 * MIB) });
    expect(await scene.ask('operator', large)).toMatchObject({ status: 503, code: 'F3_BUSY' });
    expect(await scene.ask('operator', { path: '/v1/federations' })).toMatchObject({ status: 200 });
    for (const { end } of holding) end();
    await expect.poll(async () => (await scene.ask('operator', large)).status).toBe(400);
  });

  it('that guesses codes is slowed down, and an honest owner at the same address still joins', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => scene.ask('', await enrol(`guess-${i}`))),
    );
    const codes = guesses.map(({ code }) => code);
    expect(codes.filter((code) => code === 'F3_INVITATION')).toHaveLength(20);
    expect(codes.filter((code) => code === 'F3_RATE_LIMIT')).toHaveLength(40);
    const slowed = guesses.find(({ code }) => code === 'F3_RATE_LIMIT');
    expect(Number(slowed?.headers['retry-after'])).toBeGreaterThan(0);
    await scene.join('honest');
    expect(await scene.ask('honest', { path: GRID })).toMatchObject({ status: 200 });
  });

  it('that nests JSON a million times is refused', async () => {
    const deep = Buffer.from(`{"samples":${'['.repeat(MIB)}${']'.repeat(MIB)},"\\u0041":"\\ud83d\\ude00"}`);
    expect(await scene.ask('operator', predict(deep))).toMatchObject({ status: 400, code: 'F3_REQUEST' });
  });
});
