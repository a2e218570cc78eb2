// A database that the last release wrote is opened by this version: nothing in it is lost, and its work goes on.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openServer } from '../src/server/start-server.ts';
import { findTraining } from '../src/storage/trainings.ts';
import { describeDatabase } from './support/describe-database.ts';
import { postgresMissing, startPostgres } from './support/postgres-server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { unless } from './support/unless.ts';

const RELEASE = 'f3-0.1.0';
const read = (ending: string) =>
  readFileSync(new URL(`fixtures/database/${RELEASE}.${ending}`, import.meta.url), 'utf8');
type Held = Awaited<ReturnType<typeof describeDatabase>>;
const missing = await postgresMissing();

describe(`a database that ${RELEASE} wrote`, () => {
  const claim = 'is opened with all that it holds, and a training that waited in it is run';

  it(`${claim}, embedded`, async () => {
    const data = temporaryDirectory();
    mkdirSync(join(data, 'database', 'database'), { recursive: true });
    const pglite = await PGlite.create(join(data, 'database', 'database'));
    await pglite.exec(read('sql'));
    await pglite.close();
    await expectWhole({ data });
  });

  it(`${claim}, PostgreSQL`, unless(missing), async ({ onTestFinished }) => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const database = await server.createDatabase();
    const client = new pg.Client(database);
    await client.connect();
    await client.query(read('sql'));
    await client.end();
    await expectWhole({ data: temporaryDirectory(), database });
  });
});

async function expectWhole(where: { data: string; database?: string }): Promise<void> {
  const before = JSON.parse(read('json')) as Held;
  const idle = await openServer({ ...where, port: 0, work: false, threads: 1 });
  try {
    const { federations, members, audit, ...rest } = JSON.parse(
      JSON.stringify(await describeDatabase(idle.store.db)),
    ) as Held;
    const { federations: named, members: joined, audit: told, ...others } = before;
    expect(rest).toEqual(others);
    expect(federations).toEqual(named);
    // This version has made an operator of its own, and may have said so.
    expect(members).toEqual(expect.arrayContaining(joined));
    expect(audit.slice(0, told.length)).toEqual(told);
  } finally {
    await idle.close();
  }
  const [waiting] = before.trainings.filter(({ status }) => status === 'queued');
  const server = await openServer({ ...where, port: 0, threads: 1 });
  try {
    await expect.poll(async () => (await findTraining(server.store.db, waiting.id))?.status, POLL).toBe('done');
  } finally {
    await server.close();
  }
}

const POLL = { interval: 200 };
