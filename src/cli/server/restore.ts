// `f3 restore`: puts a backup into an empty folder or an empty PostgreSQL database.
import { Command } from 'commander';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type DatabaseOptions, databaseUrl, PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT } from './server-options.ts';

interface Options extends DatabaseOptions {
  data: string;
  json?: boolean;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup into an empty place')
    .argument('<file>', 'what f3 backup wrote')
    .requiredOption('--data <dir>', "the coordinator's folder, without a database and keys")
    .option('--database <url>', 'an empty postgres://… instead of the embedded database')
    .option(PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT)
    .option('--json', 'print what was restored as one line of JSON')
    .addHelpText(
      'after',
      `
The whole file is checked before anything is written. A backup of either database may be restored into the other, and one of an
older version into this one. Then start it: f3 serve --data <dir>.`,
    )
    .action(async (file: string, { data, json, ...options }: Options) => {
      const database = databaseUrl(options);
      const { restoreServer } = await import('../../server/restore-server.ts');
      const { created, rows, chunks } = await restoreServer({ file, data, database });
      const text = `restored ${rows} rows and ${chunks} pieces of content as of ${shownTime(created)} UTC`;
      printResult({ created, rows, chunks }, text, json);
    });
}
