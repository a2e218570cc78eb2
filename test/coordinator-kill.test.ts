// Kills and disturbances of the coordinator, each kind once and a kill more, on each database; npm run chaos does it fifty times.
import { describe, it } from 'vitest';
import { chaos } from './support/chaos.ts';
import { postgresMissing, startPostgres } from './support/postgres-server.ts';
import { unless } from './support/unless.ts';

const missing = await postgresMissing();

// Side by side: most of the time both wait, for a start or for the sign that a worker is dead.
describe.concurrent('a coordinator disturbed while members upload, train and predict', () => {
  const claim =
    'loses nothing, counts nothing by half, answers no recorded request, and ends trainings in the same bits';

  it(`${claim}, embedded: killed, its line cut, its clock stepped, its disk full`, async ({ expect }) => {
    const report = await chaos({ kills: 5, seed: 1 });
    expect(report).toMatchObject({ faults: [], disturbances: { line: 1, clock: 1, disk: 1 } });
    expect(report.disturbances.coordinator).toBeGreaterThan(0);
    expect(report.replays).toBeGreaterThan(0);
  }, 1_800_000);

  const kills = 'PostgreSQL: killed, its worker and its database too, its line cut, its clock stepped';
  it(`${claim}, ${kills}`, { ...unless(missing), timeout: 1_800_000 }, async ({ expect, onTestFinished }) => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const report = await chaos({ kills: 6, seed: 1, postgres });
    expect(report).toMatchObject({ faults: [], disturbances: { line: 1, clock: 1, database: 1, worker: 1 } });
    expect(report.disturbances.coordinator).toBeGreaterThan(0);
    expect(report.replays).toBeGreaterThan(0);
  });
});
