// `f3 data`: imports, simulates and inspects the data sets that owners train on.
import { Command } from 'commander';
import { importTableCommand } from './import-table.ts';
import { importTrafficCommand } from './import-traffic.ts';
import { infoCommand } from './info.ts';
import { simulateGridCommand } from './simulate-grid.ts';
import { simulatePlantedCommand } from './simulate-planted.ts';

export function dataCommand(): Command {
  const importCommand = new Command('import')
    .description('turn files into a data set')
    .addCommand(importTrafficCommand())
    .addCommand(importTableCommand());
  const simulateCommand = new Command('simulate')
    .description('make a data set whose truth is known')
    .addCommand(simulateGridCommand())
    .addCommand(simulatePlantedCommand());
  return new Command('data')
    .description('import, simulate and inspect data sets')
    .addCommand(importCommand)
    .addCommand(simulateCommand)
    .addCommand(infoCommand())
    .addHelpText(
      'after',
      `
A data set is a directory that keeps owners apart: owners/<id>/ holds what one owner knows and nothing else; labels,
split and graph beside it belong to the coordinator. docs/dataset-format.md describes the format.

Examples:
  f3 data import traffic metr-la.h5 --out data/metr-la
  f3 data simulate grid --out data/pmu-b
  f3 data simulate planted --out data/planted
  f3 data info data/metr-la`,
    );
}
