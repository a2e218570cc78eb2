// Clients that send a byte now and then, or nothing, are cut; everybody else is served meanwhile.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { type RunningServer, startServer } from '../start-server.ts';

const PER_ADDRESS = 60;
const limits = { headersMs: 800, requestMs: 1200, checkMs: 50, connections: 100, connectionsPerAddress: PER_ADDRESS };

describe('a slow client', () => {
  const dir = suiteDirectory();
  let server: RunningServer;
  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'data/database'));
    server = await startServer({ data: join(dir, 'data'), host: '127.0.0.1', port: 0, work: false, limits });
  });
  afterAll(() => server?.close());

  async function connected(): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /** A byte of `text` every few milliseconds until the server has enough; what it said. */
  async function drip(socket: Socket, text: string): Promise<string> {
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes;
    });
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    let isOpen = true;
    void closed.then(() => {
      isOpen = false;
    });
    for (let at = 0; isOpen; at++) {
      if (socket.writable) socket.write(text[at % text.length]);
      await sleep(20);
    }
    return heard;
  }

  const isServed = async () => (await fetch(`${server.url}/healthz`)).status;

  it('that drips its headers is told so and cut', async () => {
    const heard = drip(await connected(), 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '.padEnd(5000, 'x'));
    expect(await isServed()).toBe(200);
    expect(await heard).toMatch(/^HTTP\/1\.1 408 .*"F3_REQUEST_TIMEOUT"/s);
  });

  it('that drips its body is told so and cut', async () => {
    const socket = await connected();
    socket.write(
      'POST /v1/enrol HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n',
    );
    expect(await drip(socket, '{"code":"'.padEnd(5000, 'x'))).toMatch(/^HTTP\/1\.1 408 .*"F3_REQUEST_TIMEOUT"/s);
  });

  it('that says nothing at all is cut', async () => {
    const socket = await connected();
    socket.resume();
    await once(socket, 'close');
  });

  it('that speaks no HTTP is told so and cut', async () => {
    const socket = await connected();
    socket.write('SSH-2.0-OpenSSH_9.6\r\n\r\n');
    const [heard] = (await once(socket, 'data')) as [Buffer];
    expect(heard.toString()).toMatch(/^HTTP\/1\.1 400 .*"F3_REQUEST"/s);
    await once(socket, 'close');
  });

  it('that brings its friends gets no more connections than one address may have', async () => {
    const sockets = await Promise.all(Array.from({ length: PER_ADDRESS + 20 }, connected));
    const cut = sockets.map((socket) => {
      socket.resume();
      return new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
    });
    await Promise.all(cut.slice(PER_ADDRESS)); // at once
    await Promise.all(cut); // after headersMs
    expect(await isServed()).toBe(200);
  });

  it('is one of many, and the others are served all the while', async () => {
    const slow = await Promise.all(Array.from({ length: PER_ADDRESS - 10 }, connected));
    const heard = Promise.all(slow.map((socket) => drip(socket, 'POST /v1/enrol HTTP/1.1\r\nX: '.padEnd(5000, 'x'))));
    for (let i = 0; i < 10; i++) {
      expect(await isServed()).toBe(200);
      await sleep(20);
    }
    for (const answer of await heard) expect(answer).toContain('F3_REQUEST_TIMEOUT');
  });
});
