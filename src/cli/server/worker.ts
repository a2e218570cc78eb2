// `f3 worker`: takes trainings from a shared PostgreSQL database, beside any number of coordinators.
import { Command, InvalidArgumentError } from 'commander';
import { isPlainText, PLAIN_TEXT_RULE } from '../../exchange/plain-text.ts';
import { byteCount, integerFrom } from '../option-values.ts';
import { endRequested } from '../terminal/end-requested.ts';
import { type DatabaseOptions, databaseUrl, PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT } from './server-options.ts';

interface Options extends DatabaseOptions {
  name?: string;
  threads?: number;
  trainingMemory?: number;
}

export function workerCommand(): Command {
  return new Command('worker')
    .description('train for coordinators that share a PostgreSQL database')
    .requiredOption('--database <url>', 'postgres://…, the one the coordinators use')
    .option(PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT)
    .option(
      '--name <text>',
      'shown with the trainings that it takes (default: the machine’s name and the process id)',
      workerName,
    )
    .option('--threads <n>', 'default: F3_THREADS, else all cores', integerFrom(1, 256))
    .option(
      '--training-memory <size>',
      'that a training may take, e.g. 2GB (default: half of the machine’s, at most 4GiB)',
      byteCount,
    )
    .addHelpText(
      'after',
      `
Trainings are taken one at a time. A worker that dies leaves its training to the others, who go on from its checkpoint.

Example:
  f3 serve --database postgres://f3@db/f3 --no-work &
  f3 worker --database postgres://f3@db/f3`,
    )
    .action(async ({ name, threads, trainingMemory, ...options }: Options) => {
      const database = databaseUrl(options) as string; // commander requires it
      const { startTrainingWorker } = await import('../../server/start-training-worker.ts');
      const onError = (error: Error) => process.stderr.write(`f3: queue: ${error.message}\n`);
      const ended = endRequested();
      const worker = await startTrainingWorker({ database, name, threads, trainingMemory, onError });
      process.stderr.write('f3: waiting for trainings\n');
      await ended;
      await worker.close();
    });
}

const MOST_LETTERS = 100;

function workerName(text: string): string {
  if (text.trim() !== '' && text.length <= MOST_LETTERS && isPlainText(text)) return text.trim();
  throw new InvalidArgumentError(`It ${PLAIN_TEXT_RULE}, of 1 to ${MOST_LETTERS} letters.`);
}
