// A PostgreSQL server that goes away while the coordinator serves, and comes back: no crash, no wrong blame, nothing lost.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, SAMPLES, WIDTH } from '../../test/support/federation-scene.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/support/postgres-server.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle } from '../../test/support/toy-bundles.ts';
import { unless } from '../../test/support/unless.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../exchange/client/coordinator-client.ts';

const missing = await postgresMissing();

describe('a coordinator whose database goes away', unless(missing), () => {
  const dir = suiteDirectory();
  let postgres: PostgresServer;
  let scene: FederationScene;
  beforeAll(async () => {
    postgres = await startPostgres();
    const log = { level: 'silent', stream: { write: () => {} } };
    scene = await FederationScene.start({
      data: join(dir, 'data'),
      database: await postgres.createDatabase(),
      work: false,
      log,
    });
  });
  afterAll(async () => {
    await scene?.server.close();
    await postgres?.stop();
  });

  it('says so, lets go of whoever watches, and serves again when it is back', async () => {
    const url = scene.server.url;
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    const { id } = await scene.client('operator').train('grid', { split: 1 });
    const events = await scene.client('operator').connection.stream(`/v1/federations/grid/trainings/${id}/events`);
    const watched = (async () => {
      for await (const _ of events);
    })();
    const broken = expect(watched).rejects.toThrow();
    const bytes = encodeBundle(toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed: 9 }));
    let retries = 0;
    let pushed: Promise<{ version: number }> | undefined;
    await postgres.whileDown(async () => {
      expect(await ready()).toBe(503);
      expect(await scene.ask('operator', { path: '/v1/federations/grid' })).toMatchObject({
        status: 503,
        code: 'F3_NOT_READY',
      });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await broken;
      // A database takes longer to come back on a busy machine than a client waits by itself.
      const backOff = { attempts: 300, longest: 1000 };
      const patient = { url, keys: scene.key('owner-0'), backOff, onRetry: () => retries++ };
      pushed = new CoordinatorClient(patient).upload('grid', 'bundle', bytes);
      await expect.poll(() => retries).toBeGreaterThan(0);
    });
    expect(await pushed).toMatchObject({ version: 2 });
    expect(await ready()).toBe(200);
    expect(await scene.client('operator').training('grid', id)).toMatchObject({ state: 'queued' });
  });
});
