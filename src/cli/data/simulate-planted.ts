// `f3 data simulate planted`: embeddings made from a known graph and known permutations.
import { join } from 'node:path';
import { Command } from 'commander';
import { PLANTED_DEFAULTS } from '../../data/simulate/planted.ts';
import type { PlantedReport } from '../../data/simulate/planted-dataset.ts';
import { integerFrom, numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { importSummary, nextLines, shellWord } from './import-summary.ts';

interface Options {
  out: string;
  owners: number;
  samples: number;
  width: number;
  neighbours: number;
  everywhere: number;
  reach: number;
  noise: number;
  seed: number;
  force?: boolean;
  json?: boolean;
}

export function simulatePlantedCommand(): Command {
  return new Command('planted')
    .description('embeddings with a known owner graph and known permutations, to measure how well both are recovered')
    .requiredOption('--out <dir>', 'directory of the data set')
    .option('--owners <n>', 'owners', integerFrom(2, 10_000), PLANTED_DEFAULTS.owners)
    .option('--samples <m>', 'samples', integerFrom(10, 10_000_000), PLANTED_DEFAULTS.samples)
    .option(
      '--width <d>',
      'numbers per embedding, one for each kind of event',
      integerFrom(2, 4096),
      PLANTED_DEFAULTS.width,
    )
    .option(
      '--neighbours <k>',
      'owners on either side that each is linked to',
      integerFrom(1, 9999),
      PLANTED_DEFAULTS.neighbours,
    )
    .option(
      '--everywhere <share>',
      'share of samples in which one kind is everywhere',
      numberFrom(0, 1),
      PLANTED_DEFAULTS.everywhere,
    )
    .option('--reach <share>', 'chance that an owner sees what is everywhere', numberFrom(0, 1), PLANTED_DEFAULTS.reach)
    .option(
      '--noise <sd>',
      'standard deviation of the noise; without it the kind seen is 1 and the others are 0',
      numberFrom(0),
      PLANTED_DEFAULTS.noise,
    )
    .option('--seed <n>', 'seed of data and split', integerFrom(0), 1)
    .option('--force', 'replace the data set at --out')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
Owners stand around a ring. In every sample every owner sees one of --width kinds of event. Either most owners see the
same kind (classes everywhere-0, everywhere-1, …), or pairs of linked owners do (class together), or each owner sees a
kind of its own (class apart). Each owner's embedding is permuted in its own way. An owner's window is its embedding: one
step, --width variates. So there is nothing to train: bundles/ holds what owners would send, beside labels.arrow and
split.json, for f3 fuse. The folder truth/ holds adjacency.csv, permutations.json and positions.json, for f3 model show.
The defaults are the problem of docs/planted.md.

Examples:
  f3 data simulate planted --out data/planted
  f3 data simulate planted --owners 100 --samples 10000 --width 16 --seed 3 --out data/planted-100`,
    )
    .action(runSimulation);
}

async function runSimulation({ force, json, ...options }: Options): Promise<void> {
  const { writePlanted } = await import('../../data/simulate/planted-dataset.ts');
  const request = { ...options, overwrite: force ?? false };
  const report = await withProgress((progress) => writePlanted(request, progress));
  const next = nextCommands(report);
  const text = [importSummary(report), `bundles: ${report.bundles}`, ...nextLines(next)];
  printResult({ ...report, next }, text.join('\n'), json);
}

/** Fuses as docs/planted.md does where every edge and every permutation is found, and compares with the truth. */
function nextCommands({ out, bundles }: PlantedReport): string[] {
  const [labels, split, truth, model] = ['labels.arrow', 'split.json', 'truth', 'model'].map((name) =>
    shellWord(name === 'model' ? `${out}-model` : join(out, name)),
  );
  const how = '--preset paper --project-edges --alignment hard --hidden 16 --epochs 100';
  return [
    `f3 fuse --bundles ${shellWord(bundles)} --labels ${labels} --split ${split} ${how} --out ${model}`,
    `f3 model show ${model} --truth ${truth}`,
  ];
}
