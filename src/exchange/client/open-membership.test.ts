import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { ToyCoordinator } from '../../../test/support/toy-coordinator.ts';
import { chooseMembership } from '../identity/home.ts';
import { joinFederation } from './join-federation.ts';
import { openMembership, openProfile } from './open-membership.ts';

const FILES = fileURLToPath(new URL('../../../test/fixtures/tls/', import.meta.url));
const file = (name: string) => join(FILES, `${name}.pem`);
const pem = (name: string) => readFileSync(file(name), 'utf8');

let coordinator: ToyCoordinator;
let url: string;
beforeEach(async () => {
  coordinator = new ToyCoordinator({ cert: pem('server'), key: pem('server-key') });
  url = `https://127.0.0.1:${await coordinator.listen()}`;
});
afterEach(() => coordinator.close());

const joined = (home: string) =>
  joinFederation({
    home,
    url,
    code: coordinator.invite('north'),
    tls: { ca: pem('ca') },
    tlsFiles: { ca: file('ca') },
  });

test('who has joined speaks with the key and the certificates of the home folder', async () => {
  const home = temporaryDirectory();
  await joined(home);
  const client = await openMembership(chooseMembership(home, { federation: 'grid' }));
  expect(await client.upload('grid', 'bundle', new Uint8Array(1000).fill(7))).toMatchObject({ version: 1, sent: 1000 });
});

test('a profile speaks with the key file and the certificates that it names', async () => {
  const { folder } = await joined(temporaryDirectory());
  const profile = { url, key: join(folder, 'key.json'), tls: { ca: file('ca') } };
  expect(await (await openProfile(profile)).me()).toMatchObject({ owner: 'north', federation: 'grid' });
});

test('what the caller says about the connection overrules what was remembered', async () => {
  const membership = await joined(temporaryDirectory());
  const client = await openMembership(membership, { tls: { ca: pem('client') }, backOff: { attempts: 1 } });
  await expect(client.status('grid')).rejects.toMatchObject({ code: 'F3_CLIENT_TLS' });
});

test('a certificate that is gone is named', async () => {
  const membership = await joined(temporaryDirectory());
  const gone = { ...membership, tls: { ca: '/no/such/ca.pem' } };
  await expect(openMembership(gone)).rejects.toMatchObject({
    code: 'F3_HOME',
    message: 'certificate /no/such/ca.pem: must be readable, as when it was named, got no such file',
  });
});

test('a key that is gone is named', async () => {
  const membership = await joined(temporaryDirectory());
  rmSync(join(membership.folder, 'key.json'));
  await expect(openMembership(membership)).rejects.toMatchObject({ message: expect.stringContaining('key.json') });
});
