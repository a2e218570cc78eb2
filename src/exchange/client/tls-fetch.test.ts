import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ToyCoordinator } from '../../../test/support/toy-coordinator.ts';
import { createKeyPair } from '../identity/key-pair.ts';
import { CoordinatorClient } from './coordinator-client.ts';

const pem = (name: string) => readFileSync(new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const server = { cert: pem('server'), key: pem('server-key') };
const client = { cert: pem('client'), key: pem('client-key') };
const ca = pem('ca');

let coordinator: ToyCoordinator;
let url: string;
beforeEach(async () => {
  // Asks for a certificate of the client, too.
  coordinator = new ToyCoordinator({ ...server, ca, requestCert: true, rejectUnauthorized: true });
  url = `https://127.0.0.1:${await coordinator.listen()}`;
});
afterEach(() => coordinator.close());

test('a coordinator that both sides’ certificates fit answers', async () => {
  const keys = await createKeyPair();
  await new CoordinatorClient({ url, tls: { ca, ...client } }).enrol(coordinator.invite('north'), keys);
  const member = new CoordinatorClient({ url, keys, tls: { ca, ...client } });
  const stored = await member.upload('grid', 'bundle', new Uint8Array(3_000_000).fill(7));
  expect(stored).toMatchObject({ version: 1, sent: 3_000_000 });
});

test.each([
  ['an unknown authority', { ...client }],
  ['no certificate of ours', { ca }],
])('%s is told at once, not tried again', async (_, tls) => {
  const waits: number[] = [];
  const clock = { now: () => new Date(), sleep: async (ms: number) => void waits.push(ms), random: () => 0 };
  const refused = new CoordinatorClient({ url, tls, clock }).enrol('code', await createKeyPair());
  await expect(refused).rejects.toMatchObject({
    code: 'F3_CLIENT_TLS',
    message: expect.stringContaining('both certificates must be accepted'),
  });
  expect(waits).toEqual([]);
});

test('a certificate for another host is refused', async () => {
  coordinator.close();
  coordinator = new ToyCoordinator({ ...server });
  url = `https://127.0.0.2:${await coordinator.listen('127.0.0.2')}`;
  const refused = new CoordinatorClient({ url, tls: { ca } }).enrol('code', await createKeyPair());
  await expect(refused).rejects.toMatchObject({ code: 'F3_CLIENT_TLS' });
});
