// What an owner may say about its key holder, and what is remembered of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { createKeyPair, saveKeyPair } from '../../exchange/identity/key-pair.ts';
import { KeyHolderFiles } from '../../privacy/key-holder/key-holder-files.ts';
import { type RunningKeyHolder, startKeyHolder } from '../../privacy/key-holder/start-key-holder.ts';
import { openPseudonyms, type PseudonymFlags, type PseudonymousSender } from './pseudonym-options.ts';

const fixture = (name: string) => new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url).pathname;
const ca = fixture('ca');

const home = suiteDirectory();
let sender: PseudonymousSender;
beforeAll(async () => {
  const key = join(home, 'key.json');
  saveKeyPair(key, await createKeyPair());
  const membership = { url: 'http://127.0.0.1:7700', federation: 'grid', owner: 'north', role: 'owner', keyId: 'k' };
  sender = { membership: membership as PseudonymousSender['membership'], key, home };
});

const refused = (flags: PseudonymFlags) =>
  expect(openPseudonyms(flags, sender)).rejects.toThrow(expect.objectContaining({ code: 'F3_OPTION' }));

describe('a code or an authority of the key holder', () => {
  it('without its address sends no ids as they are', async () => {
    await refused({ pseudonymsCode: 'code' });
    await refused({ pseudonymsCa: ca });
    expect(await openPseudonyms({}, sender)).toBeUndefined();
  });

  it('must not go with --no-pseudonyms', async () => {
    await refused({ pseudonyms: false, pseudonymsCode: 'code' });
    expect(await openPseudonyms({ pseudonyms: false }, sender)).toBeUndefined();
  });

  it('that cannot be read is refused by the name of its option', async () => {
    const flags = { pseudonyms: 'https://127.0.0.1:1', pseudonymsCa: join(sender.home, 'none.pem') };
    await expect(openPseudonyms(flags, sender)).rejects.toThrow(
      /^--pseudonyms-ca .*none\.pem: must be .*no such file$/,
    );
  });
});

describe('a key holder with a certificate of its own authority', () => {
  let holder: RunningKeyHolder;
  const data = suiteDirectory();
  beforeAll(async () => {
    const https = { cert: readFileSync(fixture('server'), 'utf8'), key: readFileSync(fixture('server-key'), 'utf8') };
    holder = await startKeyHolder({ data, port: 0, https });
  });
  afterAll(() => holder.close());

  it('is found again without being told its address and its authority', async () => {
    const { code } = KeyHolderFiles.open(data).invite('north');
    const first = await openPseudonyms({ pseudonyms: holder.url, pseudonymsCode: code, pseudonymsCa: ca }, sender);
    const [name] = (await first?.of(['a'])) ?? [];
    await first?.close();
    const again = await openPseudonyms({}, sender);
    expect(await again?.of(['a', 'b'])).toEqual([name, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    await again?.close();
    const typed = await openPseudonyms({ pseudonyms: `${holder.url}/` }, sender);
    expect(await typed?.of(['a'])).toEqual([name]);
    await typed?.close();
  });
});
