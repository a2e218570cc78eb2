// Measures which models find the planted graph and permutations.
//   npx node experiments/planted-recovery.ts [--seeds n] [--first n] [--json]
import { Command } from 'commander';
import { integerFrom } from '../src/cli/option-values.ts';
import { runProgram } from '../src/cli/run-command.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { PLANTED_DEFAULTS, type Planted, type PlantedOptions, simulatePlanted } from '../src/data/simulate/planted.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { fitPlanted, type PlantedFit, type PlantedFitOptions } from '../src/reproduce/fit-planted.ts';

const PROBLEM: Omit<PlantedOptions, 'seed'> = PLANTED_DEFAULTS;
const BASE: Partial<FusionConfig> = { alignment: 'hard', graph: 'icdf', hidden: 16, epochs: 100 };

interface Variant {
  name: string;
  change: Partial<FusionConfig>;
  /** Whether the owners' embeddings are put in the common order beforehand. */
  unpermuted?: boolean;
  options?: PlantedFitOptions;
}

const VARIANTS: Variant[] = [
  { name: 'nothing learned', change: { epochs: 0 } },
  { name: 'mean pooling', change: { alignment: 'none', graph: 'none' } },
  { name: 'hard, no graph', change: { graph: 'none' } },
  { name: 'hard, true graph', change: { graph: 'given' } },
  { name: 'hard, ICDF', change: {} },
  { name: 'hard, ICDF per batch', change: { graphsPer: 'batch' } },
  { name: 'hard, Gumbel', change: { graph: 'gumbel' } },
  { name: 'hard, ICDF, h = 8', change: { hidden: 8 } },
  { name: 'hard (exp), ICDF', change: { sinkhorn: 'exp' } },
  { name: 'hard, ICDF, θ from ½', change: {}, options: { firstTheta: 0.5 } },
  { name: 'hard, ICDF, θ inside', change: { projectEdges: true } },
  { name: 'soft, true graph', change: { alignment: 'soft', graph: 'given' } },
  { name: 'soft, ICDF', change: { alignment: 'soft' } },
  { name: 'soft, ICDF, θ inside', change: { alignment: 'soft', projectEdges: true } },
  { name: 'true order, ICDF', change: { alignment: 'none' }, unpermuted: true },
];

const COLUMNS = [
  'accuracy',
  'auc',
  'edges',
  'frozenWrong',
  'permutations',
  'validationLoss',
  'bestEpoch',
  'seconds',
] as const;
type Column = (typeof COLUMNS)[number];

export interface RecoveryRow {
  name: string;
  /** One fit for each seed. */
  fits: PlantedFit[];
}

/** Fits every variant to the same problems, one problem for each seed from `first` on. */
export async function plantedRecovery(
  seeds: number,
  first: number,
  onFit: (row: RecoveryRow) => void = () => undefined,
) {
  const engine = new Engine();
  const rows: RecoveryRow[] = [];
  for (const { name, change, unpermuted, options } of VARIANTS) {
    const fits: PlantedFit[] = [];
    for (let seed = first; seed < first + seeds; seed++) {
      const planted = simulatePlanted({ ...PROBLEM, seed });
      const problem = unpermuted ? inCommonOrder(planted) : planted;
      const config = { ...paperPreset, ...BASE, ...change, seed };
      fits.push(await fitPlanted(engine, problem, config, options));
    }
    rows.push({ name, fits });
    onFit({ name, fits });
  }
  await engine.dispose();
  return rows;
}

/** The same problem with every owner's numbers in the common order. */
function inCommonOrder({ embeddings, labels, truth }: Planted): Planted {
  const { permutations } = truth;
  const [owners, width] = [permutations.length, permutations[0].length];
  const ordered = embeddings.map((_, at) => {
    const [row, kind] = [Math.floor(at / width), at % width];
    return embeddings[row * width + permutations[row % owners].indexOf(kind)];
  });
  const identity = Uint32Array.from({ length: width }, (_, k) => k);
  return { embeddings: ordered, labels, truth: { ...truth, permutations: permutations.map(() => identity) } };
}

/** The mean of a column and, in brackets, its least value. */
function meanAndLeast(fits: PlantedFit[], column: Column): string {
  const values = fits.map((fit) => fit[column]).filter((value) => value !== undefined);
  if (values.length === 0 || !values.every(Number.isFinite)) return '–';
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const digits = column === 'bestEpoch' ? 0 : column === 'seconds' ? 1 : 3;
  const range = column === 'seconds' || values.length === 1 ? '' : ` (${Math.min(...values).toFixed(digits)})`;
  return `${mean.toFixed(digits)}${range}`;
}

const NAME_WIDTH = 22;
const line = (name: string, cells: readonly string[]) =>
  `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(15)).join('')}\n`;

interface RecoveryOptions {
  seeds: number;
  first: number;
  json?: boolean;
}

if (import.meta.main) {
  const program = new Command('planted-recovery')
    .description('which models find the planted graph and permutations')
    .option('--seeds <n>', 'problems that each model is fitted to', integerFrom(1, 1000), 1)
    .option('--first <n>', 'seed of the first problem', integerFrom(1), 1)
    .option('--json', 'print the result as one line of JSON')
    .action(async ({ seeds, first, json }: RecoveryOptions) => {
      const print = (text: string) => (json ? process.stderr : process.stdout).write(text);
      const { owners, samples, width } = PROBLEM;
      print(
        `${owners} owners, ${samples} samples, d = ${width}, seeds ${first}–${first + seeds - 1}: mean (least)\n\n`,
      );
      print(line('', COLUMNS));
      const rows = await plantedRecovery(seeds, first, ({ name, fits }) => {
        const cells = COLUMNS.map((column) => meanAndLeast(fits, column));
        print(line(name, cells));
      });
      if (json) process.stdout.write(`${JSON.stringify({ ...PROBLEM, seeds, first, rows })}\n`);
    });
  process.exitCode = await runProgram(program, process.argv);
}
