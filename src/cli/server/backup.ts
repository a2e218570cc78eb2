// `f3 backup`: writes all that a coordinator holds into one file, from its folder, its database, or through the running coordinator.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { type DatabaseOptions, databaseUrl, PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT } from './server-options.ts';

interface Options extends MemberOptions, DatabaseOptions {
  data?: string;
  out?: string;
  force?: boolean;
  json?: boolean;
}

export function backupCommand(): Command {
  const command = new Command('backup')
    .description('write all that a coordinator holds into one file')
    .option('--data <dir>', "the coordinator's folder; the embedded database in it must not be in use")
    .option('--database <url>', 'postgres://… instead of the embedded database; it may be in use')
    .option(PASSWORD_FILE_FLAG, PASSWORD_FILE_TEXT)
    .option('--out <file>', 'the file to write, with --data')
    .option('--force', 'replace the file');
  return addOperatorOptions(command)
    .option('--json', 'print what was written as one line of JSON')
    .addHelpText(
      'after',
      `
Three ways:
  f3 backup --data coordinator --out f3.backup                                       it is stopped
  f3 backup --data coordinator --database postgres://f3@db/f3 --out f3.backup        it may run
  f3 backup                                                                          it runs: it writes into backups/ of its own folder

The file holds every embedding, every label and the operator's key, and only you may read it: keep it encrypted. f3 restore puts it back.`,
    )
    .action(runBackup);
}

async function runBackup(options: Options): Promise<void> {
  const { data, out, force, json } = options;
  if (data === undefined) {
    if (out !== undefined || options.database !== undefined) {
      throw new F3Error('F3_OPTION', '--data: must name the folder of the coordinator beside --out and --database');
    }
    const client = await operatorClient(undefined, options);
    const made = await client.backup();
    const text = `${made.file} on the coordinator's machine, ${shownSize(made.bytes)}, SHA-256 ${made.sha256}`;
    return printResult(made, text, json);
  }
  if (out === undefined) throw new F3Error('F3_OPTION', '--out: must name the file to write, got none');
  const database = databaseUrl(options);
  const { locationOf } = await import('../../server/start-server.ts');
  const { backupStore } = await import('../../storage/backup/backup-store.ts');
  const made = await backupStore(locationOf(data, database), { data, file: out, overwrite: force });
  printResult(made, `${made.file}, ${shownSize(made.bytes)}, SHA-256 ${made.sha256}`, json);
}
