import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ToyCoordinator } from '../../../test/support/toy-coordinator.ts';
import { createKeyPair } from '../identity/key-pair.ts';
import { CoordinatorClient } from './coordinator-client.ts';
import type { TlsOptions } from './tls-fetch.ts';

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

const shown = (name: string) => ({ cert: pem(name), key: pem(`${name}-key`) });
const authority = 'coordinator URL: its certificate must come from an authority that is trusted here';

/** The error in one line, with the address as URL. */
async function refusalOf(tls: TlsOptions | undefined): Promise<string> {
  const waits: number[] = [];
  const clock = { now: () => new Date(), sleep: async (ms: number) => void waits.push(ms), random: () => 0 };
  const keys = await createKeyPair();
  const refused = (async () => new CoordinatorClient({ url, ...(tls && { tls }), clock }).enrol('code', keys))();
  const error = await refused.then(
    () => expect.unreachable(),
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ code: 'F3_CLIENT_TLS' });
  expect(waits).toEqual([]);
  return error.message.replace(url, 'URL');
}

test.each([
  ['an unknown authority', shown('client'), `${authority}, got one of an unknown authority (`],
  ['another authority', { ca: pem('stranger') }, `${authority}, got one of an unknown authority (`],
  ['no authority and no certificate', undefined, `${authority}, got one of an unknown authority (`],
  ['no certificate of ours', { ca }, 'coordinator URL: it asks for a client certificate, got none'],
  ['a text that is none', { ca: 'x', ...client }, 'TLS authority, certificate and key: must be PEM texts,'],
  [
    'the key of another certificate',
    { ca, cert: client.cert, key: server.key },
    'TLS authority, certificate and key: ',
  ],
])('%s is told at once in words, not tried again', async (_, tls, message) => {
  expect(await refusalOf(tls)).toContain(message);
});

test('a certificate for another host is refused', async () => {
  coordinator.close();
  coordinator = new ToyCoordinator({ ...server });
  url = `https://127.0.0.2:${await coordinator.listen('127.0.0.2')}`;
  expect(await refusalOf({ ca })).toBe(
    'coordinator URL: its certificate must be for the host 127.0.0.2, got one for IP Address:127.0.0.1, DNS:localhost',
  );
});

test('a certificate that has expired is refused', async () => {
  coordinator.close();
  coordinator = new ToyCoordinator(shown('expired'));
  url = `https://127.0.0.1:${await coordinator.listen()}`;
  expect(await refusalOf({ ca })).toBe('coordinator URL: its certificate must be valid now, got one that has expired');
});

test('an address without TLS is told apart from certificates', async () => {
  coordinator.close();
  coordinator = new ToyCoordinator();
  url = `https://127.0.0.1:${await coordinator.listen()}`;
  expect(await refusalOf({ ca })).toBe('coordinator URL: must speak TLS at this address, got something else');
});
