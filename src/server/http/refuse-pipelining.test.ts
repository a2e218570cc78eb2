// Requests that come by the thousand without waiting for an answer, over real connections.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../test/support/embedded-template.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { startServer } from '../start-server.ts';
import { MOST_UNDER_WAY, refusePipelining } from './refuse-pipelining.ts';

const ASK = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('attack: a thousand requests in one piece, and nobody reads the answers', () => {
  it('a few are begun, the connection is cut, and the rest is begun by nobody', async () => {
    let begun = 0;
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => {
      begun++;
      waiting.push(response);
    });
    refusePipelining(server);
    ends.push(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = await connected((server.address() as AddressInfo).port);
    socket.resume();
    socket.write(ASK.repeat(1000));
    await once(socket, 'close');
    expect(begun).toBe(MOST_UNDER_WAY);
  });

  it('a coordinator goes on answering others, and whoever asks one after the other on one connection', async () => {
    const data = temporaryDirectory();
    await copyEmbeddedTemplate(join(data, 'database'));
    const coordinator = await startServer({ data, host: '127.0.0.1', port: 0, work: false });
    ends.push(() => coordinator.close());
    const port = Number(new URL(coordinator.url).port);
    const patient = await connected(port);
    const greedy = await Promise.all(Array.from({ length: 20 }, () => connected(port)));
    const cut = greedy.map((socket) => once(socket, 'close'));
    for (const socket of greedy) socket.resume().write(ASK.repeat(1600));
    for (let i = 0; i < 50; i++) {
      patient.write(ASK);
      const [answer] = (await once(patient, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    }
    await Promise.all(cut);
  });
});
