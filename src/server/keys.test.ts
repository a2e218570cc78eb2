// Keys are replaced without downtime, and a former one cannot come back, whoever has it.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { CoordinatorClient } from '../exchange/client/coordinator-client.ts';
import { rotateKeyFile } from '../exchange/client/rotate-key.ts';
import { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../exchange/identity/key-pair.ts';
import { proveKey } from '../exchange/identity/key-proof.ts';
import { type OpenedServer, openServer } from './start-server.ts';

describe('a key', () => {
  const dir = suiteDirectory();
  const data = join(dir, 'data');
  let server: OpenedServer;
  const start = () => openServer({ data, host: '127.0.0.1', port: 0, work: false, requestsPerMinute: 1e6 });
  beforeAll(async () => {
    await copyEmbeddedTemplate(join(data, 'database'));
    server = await start();
    await (await operator()).createFederation('grid');
  });
  afterAll(() => server?.close());

  const client = (keys?: KeyPair) =>
    new CoordinatorClient({ url: server.url, ...(keys && { keys }), backOff: { attempts: 1 } });
  const operator = async () => client(await loadKeyPair(server.operatorKey));
  const rotate = (keys: KeyPair, next: KeyPair, overlapHours = 24) =>
    client(keys).rotateKey({ publicKey: next.publicKey, proof: proveKey(next, keys.id), overlapHours });
  const join7 = async (owner: string) => {
    const { code } = await (await operator()).invite('grid', { owner, role: 'owner' });
    const keys = await createKeyPair();
    await client().enrol(code, keys);
    return { keys, code };
  };
  const revoked = { code: 'F3_AUTH_REVOKED' };

  it('that is replaced is accepted beside the new one for the stated time, and can be ended before', async () => {
    const { keys } = await join7('plant-1');
    const next = await createKeyPair();
    expect(await rotate(keys, next)).toMatchObject({ keyId: next.id, former: keys.id });
    expect(await client(keys).me()).toMatchObject({ owner: 'plant-1', keyId: keys.id });
    expect(await client(next).me()).toMatchObject({ owner: 'plant-1', keyId: next.id });
    expect(await client(next).keys()).toMatchObject({ signedBy: next.id, former: [{ keyId: keys.id }] });
    await client(next).revokeKey(keys.id);
    await expect(client(keys).me()).rejects.toMatchObject(revoked);
    expect(await client(next).me()).toMatchObject({ keyId: next.id });
    const actions = (await (await operator()).audit('grid', { limit: 1000 })).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['key.rotated', 'key.revoked']));
  });

  it('attack: a former key that somebody found replaces the new one', async () => {
    const { keys } = await join7('plant-2');
    const [next, thief] = [await createKeyPair(), await createKeyPair()];
    await rotate(keys, next);
    await expect(rotate(keys, thief)).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    await expect(client(keys).revokeKey(next.id)).rejects.toMatchObject({ code: 'F3_KEY' });
    expect(await client(next).me()).toMatchObject({ owner: 'plant-2' });
    // The same request again is no attack: its answer may have been lost.
    expect(await rotate(keys, next)).toMatchObject({ keyId: next.id, former: keys.id });
  });

  it('attack: a new key that belongs to somebody else, or whose private half nobody has shown', async () => {
    const [{ keys }, { keys: other }] = [await join7('plant-3'), await join7('plant-4')];
    await expect(rotate(keys, other)).rejects.toMatchObject({ code: 'F3_MEMBER_EXISTS' });
    const next = await createKeyPair();
    const stolen = { publicKey: next.publicKey, proof: proveKey(keys, keys.id), overlapHours: 1 };
    await expect(client(keys).rotateKey(stolen)).rejects.toMatchObject({ code: 'F3_KEY' });
    const empty = { publicKey: next.publicKey, proof: '', overlapHours: 1 };
    await expect(client(keys).rotateKey(empty)).rejects.toMatchObject({ code: 'F3_KEY' });
    const long = { publicKey: next.publicKey, proof: proveKey(next, keys.id), overlapHours: 1e6 };
    await expect(client(keys).rotateKey(long)).rejects.toMatchObject({ code: 'F3_REQUEST' });
  });

  it('attack: a replaced key joins again, under another name', async () => {
    const { keys } = await join7('plant-5');
    await rotate(keys, await createKeyPair(), 0);
    await expect(client(keys).me()).rejects.toMatchObject(revoked);
    const { code } = await (await operator()).invite('grid', { owner: 'plant-6', role: 'owner' });
    await expect(client().enrol(code, keys)).rejects.toMatchObject({ code: 'F3_MEMBER_EXISTS' });
  });

  it('attack: two rotations at once; one counts', async () => {
    const { keys } = await join7('plant-8');
    const nexts = await Promise.all(Array.from({ length: 5 }, createKeyPair));
    const outcomes = await Promise.allSettled(nexts.map((next) => rotate(keys, next)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const accepted = await Promise.allSettled(nexts.map((next) => client(next).me()));
    expect(accepted.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('of a revoked member is refused, the former ones too', async () => {
    const { keys } = await join7('plant-9');
    const next = await createKeyPair();
    await rotate(keys, next);
    await (await operator()).revoke('grid', 'plant-9');
    await expect(client(keys).me()).rejects.toMatchObject(revoked);
    await expect(client(next).me()).rejects.toMatchObject(revoked);
  });

  it('in a file is put in place after it was tried out, also where the answer was lost', async () => {
    const { keys } = await join7('plant-10');
    const home = join(dir, 'home');
    mkdirSync(home, { mode: 0o700 });
    const file = join(home, 'key.json');
    saveKeyPair(file, keys);
    const once = await rotateKeyFile({ file, home, overlapHours: 24, connect: client });
    expect(JSON.parse(readFileSync(file, 'utf8')).kid).toBe(once.keyId);
    // The coordinator has the new key, but whoever asked died before it was in place.
    const [old, next] = [await loadKeyPair(file), await createKeyPair()];
    saveKeyPair(`${file}.next`, next);
    await rotate(old, next, 0);
    expect(await rotateKeyFile({ file, home, overlapHours: 0, connect: client })).toMatchObject({ keyId: next.id });
    expect((await loadKeyPair(file)).id).toBe(next.id);
    expect(existsSync(`${file}.next`)).toBe(false);
  });

  it('of the first operator is replaced without a restart; after one, the stale file makes no operator', async () => {
    const stale = await loadKeyPair(server.operatorKey);
    const next = await createKeyPair();
    await rotate(stale, next, 0);
    expect(await client(next).operators()).toMatchObject([{ keyId: next.id, revoked: null }]);
    await server.close();
    server = await start();
    expect(await client(next).operators()).toHaveLength(1);
    await expect(client(stale).me()).rejects.toMatchObject(revoked);
    const [{ owner }] = await client(next).operators();
    await expect(client(next).revokeOperator(owner)).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
  });
});
