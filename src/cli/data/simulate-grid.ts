// `f3 data simulate grid`: a physical stand-in for the paper's proprietary PMU data sets.
import { Command, Option } from 'commander';
import type { GridOptions, GridPreset } from '../../data/simulate/grid/grid-presets.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { nextLines, trainingCommands } from './import-summary.ts';

interface Options {
  out: string;
  preset: GridPreset;
  owners?: number;
  samples?: number;
  seed: number;
  heterogeneous?: boolean;
  force?: boolean;
  json?: boolean;
}

export function simulateGridCommand(): Command {
  return new Command('grid')
    .description('simulate a transmission grid: events of four classes, seen by one PMU per owner')
    .requiredOption('--out <dir>', 'directory of the data set')
    .addOption(
      new Option('--preset <name>', 'sizes of the paper’s PMU-B (43 owners, 4853 samples) or PMU-C (188, 1884)')
        .choices(['pmu-b', 'pmu-c'])
        .default('pmu-b'),
    )
    .option('--owners <n>', 'owners (default: the preset’s)', integerFrom(1, 5000))
    .option('--samples <n>', 'events (default: the preset’s)', integerFrom(10, 1_000_000))
    .option('--seed <n>', 'seed of the grid, its events and the noise', integerFrom(0), 1)
    .option('--heterogeneous', 'mix 30 and 60 Hz, and voltage, current or both')
    .option('--force', 'replace the data set at --out')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
A window is one second of voltage and current magnitude in per unit, cut at the largest z-score of a three-minute record.
Events weaken with electrical distance, so many owners see nothing; some windows are missing altogether. The truth (grid,
event sites, electrical distances) goes to truth/ for evaluation only; nothing that trains reads it.

Examples:
  f3 data simulate grid --out data/pmu-b
  f3 data simulate grid --preset pmu-c --heterogeneous --out data/pmu-c-mixed
  f3 data simulate grid --owners 12 --samples 300 --out data/small`,
    )
    .action(runSimulate);
}

async function runSimulate({ force, json, ...options }: Options): Promise<void> {
  const { simulateGrid } = await import('../../data/simulate/grid/simulate-grid.ts');
  const request: GridOptions & { out: string; overwrite: boolean } = { ...options, overwrite: force ?? false };
  const report = await withProgress((progress) => simulateGrid(request, progress));
  const { out, owners, samples, classes, classNames, missing, seconds } = report;
  const counts = classNames.map((name, c) => `${name} ${classes[c]}`).join(', ');
  const text = [
    `${out}: ${owners} owners, ${samples} samples, ${seconds.toFixed(1)} s`,
    `${counts}; ${(100 * missing).toFixed(1)} % of the windows missing`,
    ...nextLines(trainingCommands(out)),
  ].join('\n');
  printResult(report, text, json);
}
