// Used tokens of PostgreSQL are not flushed to the disk one by one, and are good once all the same when PostgreSQL crashes.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, postgresMissing, startPostgres } from '../../../test/support/postgres-server.ts';
import { unless } from '../../../test/support/unless.ts';
import { openDatabase, type Store } from '../../storage/database/open-database.ts';
import { forgetExpiredTokens } from '../../storage/used-tokens.ts';
import { Directory } from './directory.ts';
import { SharedLedger } from './shared-ledger.ts';

const now = () => Math.floor(Date.now() / 1000);
const someToken = (iat = now()) => ({ jti: randomUUID(), iat, exp: iat + 60 });
/** Clients' clocks may be behind, right, or ahead by up to half a minute. */
const ofAllClocks = () => [-40, -1, 0, 1, 2, 3, 20, 30].map((ahead) => someToken(now() + ahead));
const refused = { code: expect.stringMatching(/^F3_AUTH_(REPLAY|RETRY)$/) };

describe('a crash of PostgreSQL', unless(await postgresMissing()), () => {
  let postgres: PostgresServer;
  let store: Store;
  const ledgers: SharedLedger[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
    store = await openDatabase({ kind: 'postgres', url: await postgres.createDatabase() });
  });
  afterEach(async () => {
    for (const ledger of ledgers.splice(0)) await ledger.close();
  });
  afterAll(async () => {
    await store?.close();
    await postgres?.stop();
  });
  const open = async () => {
    ledgers.push(await SharedLedger.open(store, new Directory(store), {}));
    return ledgers.at(-1)!;
  };
  const count = async (): Promise<unknown> =>
    (await store.executeSql("select count(*)::int as count from used_tokens where jti <> 'life'")).rows[0].count;
  /** Uses tokens of all clocks; gives those that were taken. After a crash those of clocks that are behind are not. */
  const takenBy = async (ledger: SharedLedger) => {
    const taken: ReturnType<typeof ofAllClocks> = [];
    for (const token of ofAllClocks()) {
      await ledger.use(token).then(
        () => taken.push(token),
        () => undefined,
      );
    }
    expect(taken.length).toBeGreaterThan(3);
    return taken;
  };
  /** Signs anew until it is let in, as clients do. */
  const signAnew = async (ledger: SharedLedger) => {
    for (;;) {
      const error = await ledger.use(someToken()).catch((reason) => reason);
      if (error === undefined) return;
      expect(error).toMatchObject({ code: 'F3_AUTH_RETRY' });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  test.each(['goes on', 'starts again'])(
    'attack: tokens used just before it are replayed, and the coordinator %s',
    async (coordinator) => {
      const before = await open();
      const tokens = await takenBy(before);
      await postgres.crash();
      expect(await count()).toBe(0);
      const after = coordinator === 'goes on' ? before : await open();
      for (const token of tokens) await expect(after.use(token)).rejects.toMatchObject(refused);
      await signAnew(after);
      for (const token of tokens) await expect(after.use(token)).rejects.toMatchObject(refused);
      expect(await after.clockTrouble()).toBeUndefined();
    },
  );

  test('attack: the same, at another coordinator, after the tokens of a crash before were swept away', async () => {
    const [first, second] = [await open(), await open()];
    const tokens = await takenBy(first);
    await postgres.crash();
    await forgetExpiredTokens(store.db);
    await signAnew(second);
    for (const token of tokens) await expect(second.use(token)).rejects.toMatchObject(refused);
  });

  test('an orderly restart forgets nothing, and lets everybody in at once', async () => {
    const ledger = await open();
    const tokens = await takenBy(ledger);
    await postgres.whileDown(async () => undefined);
    for (const token of tokens) await expect(ledger.use(token)).rejects.toMatchObject({ code: 'F3_AUTH_REPLAY' });
    await ledger.use(someToken());
  });
});
