// `f3 reproduce`: the paper's tables and figures, each from one command.
import { Command, Option } from 'commander';
import { DATASETS } from '../../reproduce/experiment.ts';
import { EXPERIMENT_NAMES } from '../../reproduce/run-experiment.ts';
import { commaList, integerFrom } from '../option-values.ts';
import type { ReproduceOptions } from './reproduce-run.ts';

export function reproduceCommand(): Command {
  return new Command('reproduce')
    .description("the paper's tables and figures, ours beside the paper's, as one page")
    .argument('<experiment>', `${EXPERIMENT_NAMES.join(', ')} or all`)
    .addOption(new Option('--dataset <name...>', 'data sets (default: metr-la; for all: every one)').choices(DATASETS))
    .option(
      '--seeds <n>',
      'seeds per row (default: as the experiment says: 5 on metr-la, 3 elsewhere)',
      integerFrom(1, 1000),
    )
    .option('--rows <list>', 'rows of a table of scores, separated by commas', commaList)
    .option('--data <dir>', 'folder with the published files (default: F3_DATA, else the cache)')
    .option(
      '--cache <dir>',
      'where data sets, trained owners and finished runs are kept (default: F3_CACHE, else ~/.cache/f3)',
    )
    .option('--out <dir>', 'folder for report.html, report.md, results.json and figures', 'f3-report')
    .option(
      '--markdown <dir>',
      'write pages there as well, one per data set, without figures; sections that are not run again stay',
    )
    .option('--threads <n>', 'threads to compute with (default: F3_THREADS, else all cores)', integerFrom(1, 256))
    .option(
      '--update',
      'put the figures on record in experiments/<name>/expected.json, and in the summary of --markdown',
    )
    .option('--json', 'print one line of JSON: the results')
    .addHelpText(
      'after',
      `
Owners are pre-trained once per data set and every finished run is kept, so a second command starts where the first
ended, and an interrupted one goes on. PMU data sets are simulated, and labelled so everywhere.

The traffic data sets are not part of f3: put metr-la.h5 (and, if you have them, metr-la-split.json,
metr-la-adjacency.csv and metr-la-locations.csv) into the folder that --data or F3_DATA names.

Examples:
  f3 reproduce table-2 --dataset metr-la --rows B,C,D,E,G,H,K --data ~/traffic
  f3 reproduce theory
  f3 reproduce all --seeds 3 --out report
  f3 reproduce all --update --markdown docs/results`,
    )
    .action(async (experiment: string, options: ReproduceOptions) =>
      (await import('./reproduce-run.ts')).runReproduce(experiment, options),
    );
}
