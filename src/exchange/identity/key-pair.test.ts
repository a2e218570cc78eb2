import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { createKeyPair, loadKeyPair, readPublicKey, saveKeyPair } from './key-pair.ts';

test('a key pair survives its file, which only its owner may read', async () => {
  const dir = temporaryDirectory();
  const file = join(dir, 'key.json');
  const pair = await createKeyPair();
  saveKeyPair(file, pair);
  expect(readdirSync(dir)).toEqual(['key.json']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await loadKeyPair(file)).toEqual(pair);
});

test('the public half holds nothing of the private one', async () => {
  const { publicKey, privateKey } = await createKeyPair();
  expect(Object.keys(publicKey).sort()).toEqual(['crv', 'kty', 'x']);
  expect(privateKey.d).toMatch(/^[\w-]{43}$/);
});

test('an id is the RFC 7638 thumbprint', async () => {
  // The key and its thumbprint stand in RFC 8037, A.1 to A.3.
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
  const { id } = await readPublicKey({ kty: 'OKP', crv: 'Ed25519', x });
  expect(id).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

test('a key is never overwritten, and a failure leaves nothing behind', async () => {
  const dir = temporaryDirectory();
  const file = join(dir, 'key.json');
  const [first, second] = [await createKeyPair(), await createKeyPair()];
  saveKeyPair(file, first);
  expect(() => saveKeyPair(file, second)).toThrow(expect.objectContaining({ code: 'F3_KEY' }));
  expect(await loadKeyPair(file)).toEqual(first);
  expect(() => saveKeyPair(join(dir, 'none', 'key.json'), second)).toThrow('must be writable, got no such directory');
  expect(readdirSync(dir)).toEqual(['key.json']);
});

test('files that are no key, of two keys, or open to others are refused', async () => {
  const dir = temporaryDirectory();
  const [one, other] = [await createKeyPair(), await createKeyPair()];
  const written = async (content: string, mode = 0o600) => {
    const file = join(dir, `${readdirSync(dir).length}.json`);
    writeFileSync(file, content);
    chmodSync(file, mode);
    return loadKeyPair(file);
  };
  const rule = 'must be an Ed25519 private key as JWK, got something else';
  await expect(written('{')).rejects.toThrow(rule);
  await expect(written('null')).rejects.toThrow(rule);
  await expect(written(JSON.stringify(one.publicKey))).rejects.toThrow(rule);
  await expect(written(JSON.stringify({ ...one.privateKey, x: other.publicKey.x }))).rejects.toThrow(rule);
  await expect(written(JSON.stringify({ ...one.privateKey, kid: other.id }))).rejects.toThrow(rule);
  await expect(written(JSON.stringify(one.privateKey), 0o644)).rejects.toThrow('got mode 644');
  await expect(loadKeyPair(join(dir, 'none.json'))).rejects.toThrow('must be readable, got no such file');
  expect(await written(JSON.stringify(one.privateKey))).toEqual(one);
});

test('what is no public key is refused', async () => {
  const { publicKey, privateKey } = await createKeyPair();
  expect((await readPublicKey({ ...privateKey, use: 'sig' })).publicKey).toEqual(publicKey);
  const other = String(publicKey.x).slice(0, 42);
  const wrong = [
    null,
    'x',
    [],
    {},
    { ...publicKey, crv: 'X25519' },
    { ...publicKey, x: 7 },
    { ...publicKey, x: other },
  ];
  for (const jwk of wrong) await expect(readPublicKey(jwk)).rejects.toMatchObject({ code: 'F3_KEY' });
});
