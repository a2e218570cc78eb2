// `f3 pseudonyms members`: who may ask the key holder, and how much each asked for today.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { DATA_DEFAULT, DATA_FLAG, DATA_TEXT } from './serve.ts';

interface Options {
  data: string;
  remove?: string;
  json?: boolean;
}

interface ShownMember {
  name: string;
  keyId: string;
  joined: string;
  idsToday: number;
}

const columns: TextColumn<ShownMember>[] = [
  { title: 'member', cell: ({ name }) => name },
  { title: 'key', cell: ({ keyId }) => `${keyId.slice(0, 8)}…` },
  { title: 'joined (UTC)', cell: ({ joined }) => shownTime(joined) },
  { title: 'ids today', cell: ({ idsToday }) => String(idsToday) },
];

export function membersCommand(): Command {
  return new Command('members')
    .description('list who may ask, and how many ids each had evaluated today (UTC)')
    .option(DATA_FLAG, DATA_TEXT, DATA_DEFAULT)
    .option('--remove <member>', 'it may not ask any more, and its unused codes end')
    .option('--json', 'print one line of JSON')
    .action(runMembers);
}

async function runMembers({ data, remove, json }: Options): Promise<void> {
  const { KeyHolderFiles } = await import('../../privacy/key-holder/key-holder-files.ts');
  const files = KeyHolderFiles.open(data);
  if (remove !== undefined && files.remove(remove) === 0) {
    throw new F3Error('F3_OPTION', `--remove: must name a member, got ${remove}`);
  }
  const members = files
    .members()
    .map(({ name, keyId, joined }) => ({ name, keyId, joined, idsToday: files.used(keyId) }));
  const text =
    members.length > 0 ? tableLines(columns, members).join('\n') : 'no members yet; next: f3 pseudonyms invite';
  printResult({ members }, text, json);
}
