// An answer without end, from a coordinator that means ill or a proxy that has gone mad.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { CoordinatorClient } from './coordinator-client.ts';
import { parseEvents } from './training-events.ts';

const MIB = 2 ** 20;
let end: (() => void) | undefined;
afterEach(() => end?.());

/** Answers every request with bytes for as long as somebody reads them, and counts them. */
async function endless(status: number): Promise<{ url: string; sent: () => number }> {
  let sent = 0;
  const chunk = Buffer.alloc(MIB, 'x');
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    const pump = () => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on('drain', pump);
    pump();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  end = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent };
}

it.each([200, 422])('an endless answer of status %i is cut off and not asked for again', async (status) => {
  const { url, sent } = await endless(status);
  const client = new CoordinatorClient({ url, mostAnswerBytes: 4 * MIB });
  await expect(client.federations()).rejects.toMatchObject({ code: 'F3_CLIENT_RESPONSE' });
  expect(sent()).toBeLessThan(64 * MIB);
});

it('an endless event is cut off', async () => {
  async function* chunks() {
    for (;;) yield Buffer.alloc(65_536, 'x');
  }
  const read = async () => {
    for await (const _ of parseEvents(chunks()));
  };
  await expect(read()).rejects.toMatchObject({ code: 'F3_CLIENT_RESPONSE' });
});
