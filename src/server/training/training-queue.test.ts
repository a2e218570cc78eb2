// A training and its job are there together or not at all, on both databases.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeStores, someFederation } from '../../../test/support/describe-stores.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import type { Store } from '../../storage/database/open-database.ts';
import type { JsonObject } from '../../storage/schema.ts';
import { cancelTraining, createTraining, findTraining, listNewestTrainings } from '../../storage/trainings.ts';
import { TrainingQueue } from './training-queue.ts';

const errors: Error[] = [];

async function withQueue(store: Store, use: (queue: TrainingQueue) => Promise<void>): Promise<void> {
  const queue = await TrainingQueue.open(store, (error) => errors.push(error));
  try {
    await use(queue);
  } finally {
    await queue.close();
  }
}

async function jobsOf({ executeSql }: Store, training: string) {
  const { rows } = await executeSql(`select state, retry_count from pgboss.job where data->>'training' = $1`, [
    training,
  ]);
  return rows;
}

/** In one transaction, as the route does it. */
async function asked({ db }: Store, queue: TrainingQueue, options: JsonObject = {}): Promise<string> {
  const federation = await someFederation(db);
  return inTransaction(db, async (trx) => {
    const training = await createTraining(trx, { federation, requestedBy: 'registry', options });
    await queue.add(trx, training);
    return training.id;
  });
}

describeStores('a training', (suite) => {
  test('that is asked for has a job', async () => {
    await withQueue(suite.store, async (queue) => {
      const id = await asked(suite.store, queue);
      expect(await jobsOf(suite.store, id)).toMatchObject([{ state: 'created' }]);
      await cancelTraining(suite.db, id);
    });
  });

  test('whose transaction breaks off has neither row nor job', async () => {
    await withQueue(suite.store, async (queue) => {
      let id = '';
      const federation = await someFederation(suite.db);
      const broken = inTransaction(suite.db, async (trx) => {
        const training = await createTraining(trx, { federation, requestedBy: 'registry', options: {} });
        await queue.add(trx, training);
        id = training.id;
        throw new Error('killed');
      });
      await expect(broken).rejects.toThrow('killed');
      expect(await findTraining(suite.db, id)).toBeUndefined();
      expect(await jobsOf(suite.store, id)).toEqual([]);
    });
  });

  test('that is cancelled while it waits is taken once and let go', async () => {
    await withQueue(suite.store, async (queue) => {
      const id = await asked(suite.store, queue);
      await cancelTraining(suite.db, id);
      await queue.work({ threads: 1 });
      await expect.poll(() => jobsOf(suite.store, id)).toMatchObject([{ state: 'completed', retry_count: 0 }]);
      expect(errors).toEqual([]);
    });
  });

  test('that fails through no fault of its members is told of, tried again, and given up after the third time', async () => {
    await withQueue(suite.store, async (queue) => {
      const id = await asked(suite.store, queue, { labels: 'no number', bundles: [] });
      await queue.work({ threads: 1, pauseMs: 1 });
      const state = async () => (await findTraining(suite.db, id))?.status;
      await expect.poll(state).toBe('failed');
      expect(errors.map(({ message }) => message)).toEqual(Array(3).fill(expect.stringContaining('no number')));
      expect(await findTraining(suite.db, id)).toMatchObject({ attempt: 3, error: { code: 'F3_INTERNAL' } });
      await expect.poll(() => jobsOf(suite.store, id)).toMatchObject([{ state: 'completed' }]);
    });
    errors.splice(0);
  });

  test('that another worker took over from one that was stalled is left to it, and not taken back', async () => {
    // Right after a worker has begun, another has it.
    await suite.store.executeSql(`create function take_over() returns trigger language plpgsql as $$ begin
      update trainings set attempt = attempt + 1 where id = new.id; return null; end $$`);
    await suite.store.executeSql(`create trigger take_over after update of attempt on trainings for each row
      when (pg_trigger_depth() = 0) execute function take_over()`);
    await withQueue(suite.store, async (queue) => {
      const id = await asked(suite.store, queue, { labels: 999, bundles: [] });
      await queue.work({ threads: 1, pauseMs: 1000 });
      await expect.poll(() => errors.map(({ message }) => message)).toEqual([expect.stringContaining('attempt 2')]);
      await sleep(3000);
      expect(await findTraining(suite.db, id)).toMatchObject({ status: 'running', attempt: 2 });
      expect(await jobsOf(suite.store, id)).toMatchObject([{ state: 'active', retry_count: 0 }]);
      await suite.store.executeSql(`update trainings set status = 'cancelled', finished = now() where id = $1`, [id]);
      await expect.poll(() => jobsOf(suite.store, id), { timeout: 5000 }).toMatchObject([{ state: 'completed' }]);
    });
    await suite.store.executeSql('drop trigger take_over on trainings');
    await suite.store.executeSql('drop function take_over');
    errors.splice(0);
  });

  test('attack: a federation that queues many trainings does not hold up another, which is next', async () => {
    const [greedy, modest] = [await someFederation(suite.db), await someFederation(suite.db)];
    // Each fails at once, because there are no such labels.
    const ask = (queue: TrainingQueue, federation: string) =>
      inTransaction(suite.db, async (trx) => {
        const options = { labels: 999, bundles: [] };
        await queue.add(trx, await createTraining(trx, { federation, requestedBy: 'registry', options }));
      });
    await withQueue(suite.store, async (queue) => {
      for (let i = 0; i < 6; i++) await ask(queue, greedy);
      await ask(queue, modest);
      await queue.work({ threads: 1 });
      const finished = async () =>
        (await listNewestTrainings(suite.db, greedy, 100)).every(({ status }) => status === 'failed') &&
        (await listNewestTrainings(suite.db, modest, 100)).every(({ status }) => status === 'failed');
      await expect.poll(finished).toBe(true);
      const { rows } = await suite.store.executeSql(
        'select federation from trainings where federation in ($1, $2) order by started',
        [greedy, modest],
      );
      expect(rows.findIndex(({ federation }) => federation === modest)).toBeLessThanOrEqual(1);
    });
  });
});
