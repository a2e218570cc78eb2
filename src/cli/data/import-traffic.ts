// `f3 data import traffic`: imports METR-LA and PEMS-BAY as they are published.
import { Command, Option } from 'commander';
import type { GapRule } from '../../data/import/find-windows.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { importSummary, nextLines, trainingCommands } from './import-summary.ts';

interface Options {
  out: string;
  split: string;
  adjacency?: string;
  locations?: string;
  key?: string;
  name?: string;
  gaps: GapRule;
  force?: boolean;
  json?: boolean;
}

export function importTrafficCommand(): Command {
  return new Command('traffic')
    .description('import traffic speeds of many sensors: one owner per sensor, hourly windows, rush-hour labels')
    .argument('<file>', 'pandas HDF5 of fixed format (.h5), or .csv: a timestamp, then one column per sensor')
    .requiredOption('--out <dir>', 'directory of the data set')
    .option('--split <file|seed>', 'split file, or a seed for 70/10/20 at random', '1')
    .option(
      '--adjacency <file>',
      'graph between the sensors: n×n numbers in the order of the sensors, CSV without header',
    )
    .option(
      '--locations <file>',
      'where the sensors are: CSV of sensor_id, latitude and longitude, kept in each owner’s folder',
    )
    .option('--key <name>', 'HDF5 key of the frame, where the file has several')
    .option('--name <name>', 'name of the data set (default: the file name)')
    .addOption(
      new Option('--gaps <rule>', 'hours that lack readings in the middle of the record')
        .choices(['error', 'drop'])
        .default('error'),
    )
    .option('--force', 'replace the data set at --out')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
A window is an hour of 12 five-minute speeds, aligned to the hour; its label is rush when the hour starts at 7, 8, 9,
16, 17 or 18, else calm. An hour that the record enters or leaves half-way is left out. Readings of 0 stay 0.

A split file is JSON, {"train": […], "validation": […], "test": […]} of hours such as "2012-03-01T07:00" or of
positions in time order, or CSV with the header sample,split.

Examples:
  f3 data import traffic metr-la.h5 --out data/metr-la
  f3 data import traffic metr-la.h5 --out data/metr-la --split metr-la-split.json --adjacency metr-la-adjacency.csv
  f3 data import traffic speeds.csv --out data/speeds --gaps drop --split 7`,
    )
    .action(runImport);
}

async function runImport(file: string, { force, json, ...options }: Options): Promise<void> {
  const { importTraffic } = await import('../../data/import/import-traffic.ts');
  const request = { file, ...options, overwrite: force ?? false };
  const report = await withProgress((progress) => importTraffic(request, progress));
  const text = [importSummary(report), ...nextLines(trainingCommands(report.out))];
  printResult(report, text.join('\n'), json);
}
