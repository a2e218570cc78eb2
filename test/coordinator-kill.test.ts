// kill -9 of the coordinator, five times on each database; npm run chaos does it fifty times.
import { describe, it } from 'vitest';
import { chaos } from './support/chaos.ts';
import { postgresMissing, startPostgres } from './support/postgres-server.ts';
import { unless } from './support/unless.ts';

const RUN = { kills: 5, seed: 1 };
const SURVIVED = { kills: { all: 5, start: 1 }, faults: [] };
const missing = await postgresMissing();

// Side by side: most of the time both wait, for a start or for the sign that a worker is dead.
describe.concurrent('a coordinator killed while members upload, train and predict', () => {
  const claim = 'loses nothing, counts nothing by half, and ends trainings in the same bits';

  it(`${claim}, embedded`, async ({ expect }) => {
    const report = await chaos(RUN);
    expect(report).toMatchObject(SURVIVED);
    expect(report.kills.training).toBeGreaterThan(0);
  }, 600_000);

  it(`${claim}, PostgreSQL`, { ...unless(missing), timeout: 600_000 }, async ({ expect, onTestFinished }) => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const report = await chaos({ ...RUN, database: await server.createDatabase() });
    expect(report).toMatchObject(SURVIVED);
    expect(report.kills.training).toBeGreaterThan(0);
  });
});
