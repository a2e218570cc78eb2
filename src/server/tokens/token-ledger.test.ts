// Tokens are good once, on both databases.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { describeStores } from '../../../test/support/describe-stores.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { Directory } from './directory.ts';
import { openTokenLedger, type TokenLedger } from './token-ledger.ts';

const now = () => Math.floor(Date.now() / 1000);
const someToken = (iat = now()) => ({ jti: randomUUID(), iat, exp: iat + 60 });

describeStores('a ledger of tokens', (suite) => {
  const ledgers: TokenLedger[] = [];
  const open = (store: Store) => {
    ledgers.push(openTokenLedger(store, new Directory(store)));
    return ledgers.at(-1)!;
  };
  afterEach(() => {
    for (const ledger of ledgers.splice(0)) ledger.close();
  });

  test('takes a token once, also of two that come in one moment', async () => {
    const ledger = open(suite.store);
    const [early, late] = [someToken(), someToken()];
    await ledger.use(early);
    const refusal = { status: 'rejected', reason: expect.objectContaining({ code: 'F3_AUTH_REPLAY' }) };
    const uses = [early, late, late].map((token) => ledger.use(token));
    expect(await Promise.allSettled(uses)).toEqual([refusal, { status: 'fulfilled', value: undefined }, refusal]);
  });

  test('takes every one of many', async () => {
    const ledger = open(suite.store);
    await Promise.all(Array.from({ length: 2500 }, () => ledger.use(someToken())));
  });

  if (suite.kind === 'embedded') {
    test('does not take what an earlier process may have taken', async () => {
      const ledger = open(suite.store);
      await expect(ledger.use(someToken(now() - 5))).rejects.toMatchObject({ code: 'F3_AUTH_RETRY' });
    });
  }

  if (suite.kind === 'postgres') {
    test('remembers what another process took', async () => {
      const token = someToken();
      await open(suite.store).use(token);
      await expect(open(suite.store).use(token)).rejects.toMatchObject({ code: 'F3_AUTH_REPLAY' });
    });
  }
});
