// Tokens are good once, on both databases: across processes, crashes and steps of the clock.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { describeStores } from '../../../test/support/describe-stores.ts';
import { readClock, resetClock } from '../../storage/clock.ts';
import { openDatabase, type Store } from '../../storage/database/open-database.ts';
import { forgetExpiredTokens } from '../../storage/used-tokens.ts';
import { Directory } from './directory.ts';
import { openTokenLedger } from './open-token-ledger.ts';
import type { LedgerOptions, TokenLedger } from './token-ledger.ts';

const now = () => Math.floor(Date.now() / 1000);
const someToken = (iat = now()) => ({ jti: randomUUID(), iat, exp: iat + 60 });
const refused = { code: expect.stringMatching(/^F3_AUTH_(REPLAY|RETRY)$/) };

describeStores('a ledger of tokens', (suite) => {
  const ledgers: TokenLedger[] = [];
  const open = async (store: Store, options: LedgerOptions = {}) => {
    ledgers.push(await openTokenLedger(store, new Directory(store), options));
    return ledgers.at(-1)!;
  };
  /** A ledger after a crash: the one before is not closed, and what it had in memory is gone. */
  const afterCrash = open;
  afterEach(async () => {
    for (const ledger of ledgers.splice(0)) await ledger.close();
  });

  test('takes a token once, also of two that come in one moment', async () => {
    const ledger = await open(suite.store);
    const [early, late] = [someToken(), someToken()];
    await ledger.use(early);
    const refusal = { status: 'rejected', reason: expect.objectContaining({ code: 'F3_AUTH_REPLAY' }) };
    const uses = [early, late, late].map((token) => ledger.use(token));
    expect(await Promise.allSettled(uses)).toEqual([refusal, { status: 'fulfilled', value: undefined }, refusal]);
  });

  test('takes every one of many', async () => {
    const ledger = await open(suite.store);
    await Promise.all(Array.from({ length: 2500 }, () => ledger.use(someToken())));
  });

  test('a token used just before a crash is replayed just after the restart', async () => {
    const before = await open(suite.store);
    // Clients' clocks may be behind, right, or ahead by up to half a minute.
    const tokens = [-40, -1, 0, 1, 2, 3, 20, 30].map((ahead) => someToken(now() + ahead));
    const taken: typeof tokens = [];
    for (const token of tokens) {
      await before.use(token).then(
        () => taken.push(token),
        () => undefined,
      );
    }
    expect(taken.length).toBeGreaterThan(5);
    const after = await afterCrash(suite.store);
    for (const token of taken) await expect(after.use(token)).rejects.toMatchObject(refused);
    if (suite.kind === 'embedded') {
      await expect(after.use(someToken(taken[0].iat))).rejects.toMatchObject({ code: 'F3_AUTH_RETRY' });
    }
    // Whoever signs now is let in at once.
    await after.use(someToken());
  });

  test('a token is replayed after the clock has gone ahead and back, with and without a restart', async () => {
    let offset = 0;
    const system = () => Date.now() + offset;
    const before = await open(suite.store, { system });
    const token = someToken();
    await before.use(token);
    offset = 45_000;
    before.now();
    await forgetExpiredTokens(suite.db);
    offset = 0;
    await expect(before.use(token)).rejects.toMatchObject(refused);
    const after = await afterCrash(suite.store, { system });
    await expect(after.use(token)).rejects.toMatchObject(refused);
  });

  test('a token of an hour ago is replayed when the clock goes back an hour', async () => {
    const store = await openDatabase(await suite.location());
    try {
      const old = someToken(now() - 3600);
      // The hour has passed: the ledger has taken the token, and forgotten it since.
      await resetClock(store.db, new Date((now() - 3700) * 1000));
      await (await open(store, { system: () => Date.now() - 3_600_000 })).use(old);
      for (let i = 0; i < 2; i++) await forgetExpiredTokens(store.db);
      const back = await open(store, { system: () => Date.now() - 3_600_000 });
      await expect(back.use(old)).rejects.toMatchObject(refused);
      expect(await back.clockTrouble()).toMatch(/clock must not go back, got one that is \d+ s behind/);
      // An operator who takes the clock for right gets to work.
      const accepted = await open(store, { system: () => Date.now() - 3_600_000, acceptClock: true });
      expect((await readClock(store.db)).forgotten.getTime()).toBeLessThan(Date.now() - 3_500_000);
      await accepted.use(someToken(now() - 3600 + 2));
    } finally {
      for (const ledger of ledgers.splice(0)) await ledger.close();
      await store.close();
    }
  });

  test('says what is wrong when the clock goes back, and judges by a time that does not', async () => {
    let offset = 0;
    await resetClock(suite.db, new Date(Date.now() - 7_200_000)); // the process before ended two hours ago
    const start = Date.now();
    const ledger = await open(suite.store, { system: () => start + offset });
    const shown = ledger.now();
    expect(await ledger.clockTrouble()).toBeUndefined();
    offset = -20_000;
    expect(await ledger.clockTrouble()).toBeUndefined();
    expect(ledger.now().getTime()).toBeGreaterThanOrEqual(shown.getTime());
    offset = -3_600_000;
    expect(await ledger.clockTrouble()).toMatch(/got one that is 3600 s behind the time it has shown before/);
    expect(ledger.now().getTime()).toBeGreaterThanOrEqual(shown.getTime());
    offset = 0;
    expect(await ledger.clockTrouble()).toBeUndefined();
  });

  if (suite.kind === 'postgres') {
    test('remembers what another process took', async () => {
      const token = someToken();
      await (await open(suite.store)).use(token);
      await expect((await open(suite.store)).use(token)).rejects.toMatchObject({ code: 'F3_AUTH_REPLAY' });
    });
  }
});
