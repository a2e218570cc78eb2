// Options that name a fusion, for `f3 fuse` and `f3 federation train`, and the config they stand for.
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type FusionConfig,
  type FusionPreset,
  fusionPresets,
  LEARNED_METHODS,
  type PaperRow,
  paperPreset,
  paperRows,
  VOTE_METHODS,
} from '../../fuse/fusion-config.ts';
import { commaList, integerFrom, numberBelow, numberFrom } from '../option-values.ts';

export interface FusionOptions {
  classes?: string[];
  preset: FusionPreset;
  row?: PaperRow;
  method?: FusionConfig['method'];
  alignment?: FusionConfig['alignment'];
  sinkhorn?: FusionConfig['sinkhorn'];
  sweeps?: number;
  entropyWeight?: number;
  graph?: FusionConfig['graph'];
  adjacency?: string;
  k?: number;
  reference?: FusionConfig['reference'];
  temperature?: number;
  projectEdges?: boolean;
  graphsPer?: FusionConfig['graphsPer'];
  hidden?: number;
  skip?: boolean;
  ownerDropout?: number;
  lr?: number | 'auto';
  batch?: number;
  epochs?: number;
  patience?: number;
  graphSamples?: number;
  seed?: number;
}

const p = paperPreset;
/** Shown in the help, not set: an option that was not given leaves the preset alone. */
const preset = (value: string | number) => `(default: ${value})`;

/** Without `votes`: only what learns from embeddings. */
export function addFusionOptions(command: Command, { votes = true } = {}): Command {
  const methods = votes ? [...LEARNED_METHODS, ...VOTE_METHODS] : LEARNED_METHODS;
  const rows = Object.entries<Partial<FusionConfig>>(paperRows)
    .filter(([, { method = p.method }]) => methods.some((one) => one === method))
    .map(([letter]) => letter);
  const learned = (option: Option, values: readonly string[]) =>
    votes ? option : option.argParser((value) => requireLearned(value, values));
  const choice = (flags: string, text: string, values: readonly string[], value: string) =>
    new Option(flags, `${text} ${preset(value)}`).choices(values);
  return command
    .option('--classes <names>', 'all classes in their order, separated by commas', commaList)
    .addOption(
      new Option('--preset <name>', "where all other options start: the paper's choices, or ours (docs/results.md)")
        .choices(Object.keys(fusionPresets))
        .default('paper'),
    )
    .addOption(
      learned(
        new Option('--row <letter>', "a row of the paper's Table 2, as a change to the preset").choices(rows),
        rows,
      ),
    )
    .addOption(learned(choice('--method <name>', 'how owners become one', methods, p.method), methods))
    .addOption(choice('--alignment <kind>', 'one matrix per owner', ['none', 'soft', 'hard'], p.alignment))
    .addOption(choice('--sinkhorn <start>', 'for hard alignment', ['square', 'exp'], p.sinkhorn))
    .option('--sweeps <n>', `Sinkhorn–Knopp sweeps, for hard alignment ${preset(p.sweeps)}`, integerFrom(1, 1000))
    .option('--entropy-weight <w>', `of the row entropy, for hard alignment ${preset(p.entropyWeight)}`, numberFrom(0))
    .addOption(choice('--graph <kind>', 'between owners', ['none', 'given', 'knn', 'icdf', 'gumbel'], p.graph))
    .option('--adjacency <file>', 'CSV for --graph given: a matrix, or edges from,to[,weight]')
    .option('--k <n>', `neighbours, for --graph knn ${preset(p.neighbours)}`, integerFrom(1))
    .addOption(choice('--reference <F>', 'distribution behind ICDF', ['normal', 'logistic', 'uniform'], p.reference))
    .option('--temperature <tau>', `of the relaxation ${preset(p.temperature)}`, numberFrom(0.001, 10))
    .option('--project-edges', 'keep edge probabilities inside their clamp, where they can still learn (default: no)')
    .addOption(choice('--graphs-per <unit>', 'a fresh graph for each', ['example', 'batch'], p.graphsPer))
    .option('--hidden <h>', `width of the hidden layer ${preset(p.hidden)}`, integerFrom(1, 4096))
    .option('--skip', 'add the identity to the normalised graph (default)')
    .option('--no-skip', 'do not')
    .option(
      '--owner-dropout <share>',
      'leave owners out at random, so that prediction survives absence (default: 0)',
      numberBelow(1),
    )
    .option(
      '--lr <rate>',
      `learning rate, or auto: 0.01 or 0.001, chosen on validation ${preset(p.learningRate)}`,
      learningRate,
    )
    .option('--batch <n>', `samples per step ${preset(p.batch)}`, integerFrom(1))
    .option('--epochs <n>', `most epochs ${preset(p.epochs)}`, integerFrom(1))
    .option('--patience <n>', `epochs without a lower validation loss ${preset(p.patience)}`, integerFrom(1))
    .option(
      '--graph-samples <S>',
      `graphs averaged at prediction ${preset(p.predictionGraphs)}`,
      integerFrom(1, 10_000),
    )
    .option('--seed <n>', `of weights, shuffles and graphs ${preset(p.seed)}`, integerFrom(0));
}

/** On a coordinator, whose models answer with embeddings: votes have none to answer with. */
function requireLearned(value: string, values: readonly string[]): string {
  if (values.includes(value)) return value;
  const rule = `It must be one of ${values.join(', ')}`;
  throw new InvalidArgumentError(`${rule}: a coordinator learns from embeddings; f3 fuse also counts votes.`);
}

function learningRate(text: string): number | 'auto' {
  return text === 'auto' ? text : numberFrom(1e-8, 10)(text);
}

/** The preset, then the row, then every option that was given. */
export function configOf(options: FusionOptions): FusionConfig {
  return { ...paperPreset, ...configChanges(options) };
}

/** What preset, row and options change of the paper's preset. */
export function configChanges(options: FusionOptions): Partial<FusionConfig> {
  const { method, alignment, sinkhorn, sweeps, entropyWeight, graph, k, reference, temperature, graphsPer } = options;
  const { hidden, skip, ownerDropout, graphSamples, projectEdges } = options;
  const given = {
    ...{ method, alignment, sinkhorn, sweeps, entropyWeight, graph, neighbours: k, reference, temperature, graphsPer },
    ...{ hidden, skip, ownerDropout, projectEdges, predictionGraphs: graphSamples },
  };
  const start = options.preset === 'paper' ? {} : fusionPresets[options.preset];
  return { ...start, ...(options.row && paperRows[options.row]), ...defined(given), ...trainingChanges(options) };
}

export function trainingChanges({ lr, batch, epochs, patience, seed }: FusionOptions): Partial<FusionConfig> {
  return defined({ learningRate: lr === 'auto' ? undefined : lr, batch, epochs, patience, seed });
}

/** What makes the model another one. */
const MODEL_OPTIONS = [
  ...(['classes', 'row', 'method', 'alignment', 'sinkhorn', 'sweeps', 'entropyWeight', 'graph', 'k'] as const),
  ...(['reference', 'temperature', 'projectEdges', 'graphsPer', 'hidden', 'skip', 'ownerDropout'] as const),
  ...(['graphSamples', 'adjacency'] as const),
];

const TRAINING_OPTIONS = ['lr', 'batch', 'epochs', 'patience', 'seed'] as const;

/** The first option given of how to train, as it stands on the command line. */
export function trainingOptionGiven(options: FusionOptions): string | undefined {
  const name = TRAINING_OPTIONS.find((option) => options[option] !== undefined);
  return name && flagOf(options, name);
}

/** The first option given that would make the model another one, as it stands on the command line. */
export function modelOptionGiven(options: FusionOptions): string | undefined {
  const name = MODEL_OPTIONS.find((option) => options[option] !== undefined);
  if (name) return flagOf(options, name);
  return options.preset === 'paper' ? undefined : '--preset';
}

/** An option as it stands on the command line. */
export function flagOf(options: FusionOptions, name: keyof FusionOptions): string {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return options[name] === false ? `--no-${words}` : `--${words}`;
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
