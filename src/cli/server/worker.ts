// `f3 worker`: takes trainings from a shared PostgreSQL database, beside any number of coordinators.
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import { ended } from './serve.ts';

export function workerCommand(): Command {
  return new Command('worker')
    .description('train for coordinators that share a PostgreSQL database')
    .requiredOption('--database <url>', 'postgres://…, the one the coordinators use')
    .option('--threads <n>', 'default: F3_THREADS, else all cores', integerFrom(1, 256))
    .addHelpText(
      'after',
      `
Trainings are taken one at a time. A worker that dies leaves its training to the others, who go on from its checkpoint.

Example:
  f3 serve --database postgres://f3@db/f3 --no-work &
  f3 worker --database postgres://f3@db/f3`,
    )
    .action(async ({ database, threads }: { database: string; threads?: number }) => {
      const url = (await import('./server-options.ts')).requirePostgres(database);
      const [{ openDatabase }, { TrainingQueue }] = await Promise.all([
        import('../../storage/database/open-database.ts'),
        import('../../server/training/training-queue.ts'),
      ]);
      const store = await openDatabase({ kind: 'postgres', url });
      const queue = await TrainingQueue.open(store, (error) => process.stderr.write(`f3: queue: ${error.message}\n`));
      await queue.work(threads === undefined ? {} : { threads });
      process.stderr.write('f3: waiting for trainings\n');
      await ended();
      await queue.close();
      await store.close();
    });
}
