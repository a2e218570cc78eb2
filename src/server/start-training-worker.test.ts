// A worker of its own trains what a coordinator without one was asked for; both share a PostgreSQL database.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FederationScene } from '../../test/support/federation-scene.ts';
import { postgresMissing, startPostgres } from '../../test/support/postgres-server.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { unless } from '../../test/support/unless.ts';
import { startTrainingWorker } from './start-training-worker.ts';

const missing = await postgresMissing();

describe('a worker', unless(missing), () => {
  test('takes trainings of a coordinator that does not train, and ends when it is closed', async () => {
    const postgres = await startPostgres();
    try {
      const database = await postgres.createDatabase();
      const data = join(temporaryDirectory(), 'data');
      const scene = await FederationScene.start({ data, database, work: false });
      const errors: Error[] = [];
      const worker = await startTrainingWorker({ database, threads: 1, onError: (error) => errors.push(error) });
      const operator = scene.client('operator');
      const { id } = await operator.train('grid', { config: { epochs: 2, hidden: 4 }, split: 1 });
      for await (const _ of operator.trainingEvents('grid', id));
      expect(await operator.training('grid', id)).toMatchObject({ state: 'done' });
      await worker.close();
      const { id: waiting } = await operator.train('grid', { config: { epochs: 2, hidden: 4 }, split: 1 });
      expect(await operator.training('grid', waiting)).toMatchObject({ state: 'queued' });
      expect(errors).toEqual([]);
      await scene.server.close();
    } finally {
      await postgres.stop();
    }
  });
});

test('a database that does not answer is told, and nothing is left running', async () => {
  const database = 'postgres://f3@127.0.0.1:9/f3';
  await expect(startTrainingWorker({ database })).rejects.toMatchObject({ code: 'F3_STORAGE_UNREACHABLE' });
});
