// npm run bench -- server, made small: it runs, and everything it sends is answered and accounted for.
import { describe, expect, it } from 'vitest';
import { run } from '../bench/server.bench.ts';
import { postgresMissing } from './support/postgres-server.ts';
import { unless } from './support/unless.ts';

const SMALL = {
  pushers: 4,
  samples: 20,
  owners: 4,
  rounds: 1,
  honest: 20,
  connections: 2,
  turns: { rounds: 1, share: 0.02 },
  requests: { binary: 8, mean: 8, json: 8, arrow: 8 },
};

const missing = await postgresMissing();

describe('the server bench', () => {
  it('pushes, predicts and splits the time on the embedded database', async () => {
    const rows = await run(['embedded', 'binary'], () => undefined, SMALL);
    expect(rows.map(({ job }) => job.replace(/[0-9]+ (kB|bytes)/, 'N $1'))).toEqual([
      'embedded: 4 owners push N kB each at once',
      'embedded: 4 owners post one sample at once, all answered',
      'embedded: prediction, binary of N bytes',
      "embedded: prediction, binary, the server's time",
    ]);
    expect(rows[0].figures).toMatchObject({ accounted: 4 });
    expect(rows[2].figures).toMatchObject({ 'p99 ms at 2000/s': expect.any(Number) });
    for (const { oursMs } of rows) expect(oursMs).toBeGreaterThan(0);
  });

  it('attacks the coordinator while the honest are answered', async () => {
    const [row] = await run(['embedded', 'hostile'], () => undefined, SMALL);
    expect(row.figures).toMatchObject({ ratio: expect.any(Number), attacks: expect.any(Number) });
    expect(row.figures?.attacks).toBeGreaterThan(0);
  });

  it('sends large requests, sound and spoilt, and none of them is a failure of the coordinator', async () => {
    const rows = await run(['embedded', 'turns'], () => undefined, SMALL);
    expect(rows.length).toBeGreaterThan(30);
    for (const { job, oursMs, figures } of rows) {
      expect(oursMs, job).toBeGreaterThanOrEqual(0);
      expect(figures?.status, job).toBeLessThan(500);
    }
    // Each kind is heard: what is sound is answered, what is spoilt is refused.
    const statuses = new Set(rows.map(({ figures }) => figures?.status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 422]));
  });

  it('pushes and predicts on PostgreSQL', { ...unless(missing) }, async () => {
    const rows = await run(['postgres', 'push', 'live', 'predict', 'json', 'arrow'], () => undefined, SMALL);
    expect(rows).toHaveLength(4);
  });
});
