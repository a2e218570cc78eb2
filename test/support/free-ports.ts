// Ports that nobody listens on at this moment, for processes whose address must be known before they start, or stay the same.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Systems give ports from 32768 on to whoever asks for any and to every outgoing connection: one of those could be taken between
 * this look and the start of the process that is to have it.
 */
const [FIRST, LAST] = [10_000, 32_000];
/** Test files that run at the same time look in stretches of their own, so that none takes what another has just found free. */
const STRETCH = 1000;
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % Math.floor((LAST - FIRST) / STRETCH);

/** A port is given once only: whoever was given it may not have taken it yet. */
const given = new Set<number>();

export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = FIRST + worker * STRETCH + randomInt(STRETCH);
    if (given.has(port)) continue;
    given.add(port);
    const server = await listenAt(port);
    if (server) held.set(port, server);
  }
  await Promise.all([...held.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  return [...held.keys()];
}

/** Undefined if the port is taken. */
function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
