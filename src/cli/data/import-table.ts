// `f3 data import table`: imports any long table with one row per owner and time.
import { Command, Option } from 'commander';
import type { GapRule } from '../../data/import/find-windows.ts';
import type { TimeUnit } from '../../data/import/long-table.ts';
import { commaList } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { importSummary, nextLines, trainingCommands } from './import-summary.ts';

interface Options {
  out: string;
  ownerColumn: string;
  timeColumn: string;
  valueColumns: string[];
  labelColumn: string;
  window: string;
  rate?: string;
  classes?: string[];
  timeUnit: TimeUnit;
  gaps: GapRule;
  split: string;
  adjacency?: string;
  name?: string;
  force?: boolean;
  json?: boolean;
}

export function importTableCommand(): Command {
  return new Command('table')
    .description('import a long table: one row per owner and time, with readings and a label')
    .argument('<file>', '.csv, .tsv or .txt with a header, or .parquet')
    .requiredOption('--out <dir>', 'directory of the data set')
    .requiredOption('--owner-column <name>', 'column that names the owner')
    .requiredOption('--time-column <name>', 'column of timestamps or numbers')
    .requiredOption('--value-columns <names>', 'columns of readings, separated by commas', commaList)
    .requiredOption('--label, --label-column <name>', "column of the row's label")
    .requiredOption(
      '--window <n|duration>',
      'readings per window (12), or its duration (1h) when owners differ in rate',
    )
    .option('--rate <rate>', "readings per time: 30Hz, 12/h, 1/7s (default: inferred from each owner's times)")
    .option('--classes <names>', 'classes in order, separated by commas (default: the labels that occur)', commaList)
    .addOption(
      new Option('--time-unit <unit>', 'unit of a time column of numbers')
        .choices(['s', 'ms', 'us', 'ns'])
        .default('s'),
    )
    .addOption(
      new Option('--gaps <rule>', 'windows that lack readings in the middle of an owner’s record')
        .choices(['error', 'drop'])
        .default('error'),
    )
    .option('--split <file|seed>', 'split file, or a seed for 70/10/20 at random', '1')
    .option('--adjacency <file>', 'graph: n×n numbers, CSV without header, owners in order of first appearance')
    .option('--name <name>', 'name of the data set (default: the file name)')
    .option('--force', 'replace the data set at --out')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
Windows are consecutive readings at a regular rate, aligned to whole multiples of the window since 1970-01-01 (or since
0, for times that are numbers), so that the same sample means the same time for every owner. Within an owner, rows must
ascend in time. A window that an owner's record enters or leaves half-way is left out for this owner; one that lacks
readings in between is an error, or left out with --gaps drop. The owner is then missing in that sample.

A sample's label is the one most rows carry within its window, over all owners; a tie goes to the higher class. Labels
are whole numbers from 0 without a hole, or texts (in alphabetical order), or whatever --classes lists.

A value column that an owner never fills is not a variate of this owner; a single empty cell is an error.

Examples:
  f3 data import table pmu.parquet --out data/pmu --owner-column bus --time-column time \\
     --value-columns voltage,current --label event --window 1s
  f3 data import table meters.csv --out data/meters --owner-column meter --time-column hour \\
     --value-columns kwh --label weekend --window 24 --gaps drop --classes weekday,weekend`,
    )
    .action(runImport);
}

async function runImport(file: string, { force, json, ...options }: Options): Promise<void> {
  const { importTable } = await import('../../data/import/import-table.ts');
  const request = { file, ...options, overwrite: force ?? false };
  const report = await withProgress((progress) => importTable(request, progress));
  const text = [importSummary(report), ...nextLines(trainingCommands(report.out))];
  printResult(report, text.join('\n'), json);
}
