// `f3 pseudonyms translate`: a split under pseudonyms, for whoever trains with a split of its own.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { unreadable } from '../../base/read-file.ts';
import { checkFileTarget, writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
  memberClient,
} from '../federation/member-client.ts';
import { addPseudonymOptions, openPseudonyms, type PseudonymFlags } from '../owner/pseudonym-options.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';

interface Options extends MemberOptions, PseudonymFlags {
  out: string;
  force?: boolean;
  federation?: string;
  json?: boolean;
}

export function translateCommand(): Command {
  const command = new Command('translate')
    .description('write a split with pseudonyms for ids, for f3 federation train --split')
    .argument('<split>', 'JSON or CSV with sample ids')
    .requiredOption('--out <file>', 'where the split under pseudonyms is written, as JSON')
    .option('--force', 'replace it')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  addPseudonymOptions(command);
  return addMemberOptions(command).option('--json', 'print one line of JSON').action(runTranslate);
}

async function runTranslate(file: string, options: Options): Promise<void> {
  const { out, force = false, json, ...member } = options;
  checkFileTarget(out, force);
  const { parseSplitFile } = await import('../../exchange/labels/split.ts');
  const split = parseSplitFile(readText(file), file, []);
  const { membership, key, home } = await memberClient(member);
  const pseudonyms = await openPseudonyms(options, { membership, key, home });
  if (!pseudonyms) throw new F3Error('F3_OPTION', '--pseudonyms: must name the key holder, got none');
  try {
    const ids = Object.values(split).flat();
    const names = await withProgress((progress) =>
      pseudonyms.of(ids, (done, total) => progress('making pseudonyms', done, total)),
    );
    const nameOf = new Map(ids.map((id, i) => [id, names[i]]));
    const { pseudonymousSplit } = await import('../../privacy/pseudonyms/pseudonymise.ts');
    const made = pseudonymousSplit(split, (id) => nameOf.get(id) as string);
    writeWholeFile(out, `${JSON.stringify(made)}\n`);
    printResult({ out, samples: ids.length }, `${out}: ${ids.length} samples under pseudonyms`, json);
  } finally {
    await pseudonyms.close();
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unreadable(`split ${file}`, cause, 'must be readable');
  }
}
