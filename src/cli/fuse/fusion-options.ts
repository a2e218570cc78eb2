// The options that describe a fusion, for `f3 fuse` and `f3 federation train`, made from the schema of FusionConfig.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import {
  DEFAULT_PRESET,
  type FusionConfig,
  type FusionField,
  type FusionPreset,
  fusionConfigSchema,
  fusionFieldRule,
  fusionPresets,
  LEARNED_METHODS,
  METHOD_STARTS,
  OPTIMIZER_STARTS,
  type PaperRow,
  paperRows,
  resolveFusionConfig,
  VOTE_METHODS,
} from '../../fuse/fusion-config.ts';
import { commaList } from '../option-values.ts';

/** Fields whose option has a different name. */
interface RenamedFields {
  neighbours: 'k';
  predictionGraphs: 'graphSamples';
  learningRate: 'lr';
}
type OptionName<Field extends FusionField> = Field extends keyof RenamedFields ? RenamedFields[Field] : Field;

export type FusionOptions = {
  classes?: string[];
  preset?: FusionPreset | 'auto';
  row?: PaperRow;
  adjacency?: string;
} & { [Field in Exclude<FusionField, 'learningRate'> as OptionName<Field>]?: FusionConfig[Field] } & {
  lr?: number | 'auto';
};

/** The flag of each field. The rest of an option follows from the schema. */
const FLAGS: Record<FusionField, string> = {
  method: '--method <name>',
  encoding: '--encoding <kind>',
  bins: '--bins <n>',
  tables: '--tables <space>',
  alignment: '--alignment <kind>',
  ownerBias: '--owner-bias',
  sinkhorn: '--sinkhorn <start>',
  sweeps: '--sweeps <n>',
  entropyWeight: '--entropy-weight <w>',
  graph: '--graph <kind>',
  neighbours: '--k <n>',
  neighbourGraph: '--neighbour-graph <kind>',
  reference: '--reference <F>',
  temperature: '--temperature <tau>',
  projectEdges: '--project-edges',
  graphsPer: '--graphs-per <unit>',
  skip: '--skip',
  hidden: '--hidden <h>',
  activation: '--activation <kind>',
  readout: '--readout <kind>',
  ownerDropout: '--owner-dropout <share>',
  optimizer: '--optimizer <name>',
  learningRate: '--lr <rate>',
  schedule: '--schedule <kind>',
  weightDecay: '--weight-decay <lambda>',
  averageWeights: '--average-weights <beta>',
  batch: '--batch <n>',
  epochs: '--epochs <n>',
  patience: '--patience <n>',
  predictionGraphs: '--graph-samples <S>',
  calibration: '--calibration <how>',
  decision: '--decision <how>',
  seed: '--seed <n>',
};
export const FUSION_FIELDS = Object.keys(FLAGS) as FusionField[];

/** Fields that a refit may change: they say how to train, not what the model is. */
const TRAINING_FIELDS: readonly FusionField[] = ['learningRate', 'batch', 'epochs', 'patience', 'seed'];

/** Without `votes`, only methods that learn from embeddings are offered, as on a coordinator; without `search`, no preset auto. */
export function addFusionOptions(command: Command, { votes = true, search = false } = {}): Command {
  const methods: readonly string[] = votes ? [...LEARNED_METHODS, ...VOTE_METHODS] : LEARNED_METHODS;
  const rows = Object.entries<Partial<FusionConfig>>(paperRows)
    .filter(([, { method = 'consensus' }]) => methods.includes(method))
    .map(([letter]) => letter);
  command
    .option('--classes <names>', 'all classes in their order, separated by commas', commaList)
    .addOption(
      new Option(
        '--preset <name>',
        `where all other options start: what we advise, the paper's choices, or these with a graph that can be read${search ? '; auto searches on validation, with what other options say fixed' : ''} (default: "${DEFAULT_PRESET}"; "paper" with --row)`,
      ).choices([...Object.keys(fusionPresets), ...(search ? ['auto'] : [])]),
    )
    .addOption(choices(new Option('--row <letter>', "a row of the paper's Table 2, as a change to the preset"), rows));
  for (const field of FUSION_FIELDS) {
    for (const option of fieldOptions(field, methods)) command.addOption(option);
    if (field === 'graph') {
      command.option(
        '--adjacency <file>',
        'CSV for --graph given: edges from,to[,weight], or a matrix with owner names',
      );
    }
  }
  return command;
}

function fieldOptions(field: FusionField, methods: readonly string[]): Option[] {
  const [flags, type] = [FLAGS[field], fusionConfigSchema.shape[field]];
  const text = `${type.description} ${defaultsOf(field)}`;
  if (field === 'method') return [choices(new Option(flags, text), methods)];
  if (field === 'learningRate') {
    const parse = (value: string) => (value === 'auto' ? value : parseField(field, value));
    return [
      new Option(
        flags,
        `${type.description}, or auto: 0.01 or 0.001, chosen on validation ${defaultsOf(field)}`,
      ).argParser(parse),
    ];
  }
  if (type instanceof z.ZodEnum) return [choices(new Option(flags, text), type.options.map(String))];
  if (typeof fusionPresets.paper[field] === 'boolean') {
    return [new Option(flags, text), new Option(flags.replace('--', '--no-'), 'do not')];
  }
  return [new Option(flags, text).argParser((value) => parseField(field, value))];
}

/** Shows one default if the presets agree, else each preset's own, and those of methods and optimizers with other defaults. */
function defaultsOf(field: FusionField): string {
  const values = Object.entries(fusionPresets).map(([name, preset]) => ({ name, value: String(preset[field]) }));
  const agree = values.every(({ value }) => value === values[0].value);
  const methods = Object.entries({ ...METHOD_STARTS, ...OPTIMIZER_STARTS })
    .filter(([, start]) => start[field] !== undefined)
    .map(([method, start]) => `${method}: ${start[field]}`);
  const presets = agree ? [`default: ${values[0].value}`] : values.map(({ name, value }) => `${name}: ${value}`);
  return `(${[...presets, ...methods].join(', ')})`;
}

function parseField(field: FusionField, text: string): string | number {
  const isNumber = typeof fusionPresets.paper[field] === 'number';
  const value = isNumber && text.trim() !== '' ? Number(text) : text;
  if (fusionConfigSchema.shape[field].safeParse(value).success) return value;
  throw new InvalidArgumentError(`It must be ${fusionFieldRule(field)}.`);
}

/** Restricts an option to named values. If a coordinator would refuse a method that counts votes, the message says why. */
function choices(option: Option, values: readonly string[]): Option {
  option.argChoices = [...values];
  return option.argParser((value) => {
    if (values.includes(value)) return value;
    const isVote = value in paperRows || (VOTE_METHODS as readonly string[]).includes(value);
    const advice = isVote ? ': a coordinator learns from embeddings; f3 fuse also counts votes' : '';
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}${advice}.`);
  });
}

/** The preset in force: the one named, the paper's for a row of its table, else what we advise. */
export function presetOf({ preset, row }: FusionOptions): FusionPreset {
  if (preset === 'auto') throw new Error('preset auto must be searched, it is no config');
  return preset ?? (row ? 'paper' : DEFAULT_PRESET);
}

/** The preset, then the row, then every option that was given. */
export function configOf(options: FusionOptions): FusionConfig {
  return resolveFusionConfig({ preset: presetOf(options), ...configChanges(options) });
}

/** Several fits as one model, which has a temperature unless it is told not to; none of one fit, whose config sees to it. */
export function ensembleOf({
  fits = 1,
  calibration,
}: FusionOptions & { fits?: number }): { fits: number; calibrate?: boolean } | undefined {
  if (fits === 1) return undefined;
  return calibration === 'none' ? { fits, calibrate: false } : { fits };
}

/** What the row and the given options change in the preset. */
export function configChanges(options: FusionOptions): Partial<FusionConfig> {
  return { ...(options.row && paperRows[options.row]), ...given(options, FUSION_FIELDS) };
}

export function trainingChanges(options: FusionOptions): Partial<FusionConfig> {
  return given(options, TRAINING_FIELDS);
}

function given(options: FusionOptions, fields: readonly FusionField[]): Partial<FusionConfig> {
  const values = fields.map((field) => [field, givenValue(options, field)] as const);
  const isSettled = (field: FusionField, value: unknown) => field !== 'learningRate' || value !== 'auto';
  return Object.fromEntries(values.filter(([field, value]) => value !== undefined && isSettled(field, value)));
}

/** The first given option that says how to train, as it stands on the command line. */
export function trainingOptionGiven(options: FusionOptions): string | undefined {
  const field = TRAINING_FIELDS.find((name) => givenValue(options, name) !== undefined);
  return field && flagOf(options, field);
}

/** The first given option that would change what the model is, as it stands on the command line. */
export function modelOptionGiven(options: FusionOptions): string | undefined {
  const named = (['classes', 'row', 'adjacency', 'preset'] as const).find((name) => options[name] !== undefined);
  if (named) return `--${named}`;
  const field = FUSION_FIELDS.find(
    (name) => !TRAINING_FIELDS.includes(name) && givenValue(options, name) !== undefined,
  );
  return field && flagOf(options, field);
}

/** The flag of a field, as it stands on the command line. */
export function flagOf(options: FusionOptions, field: FusionField): string {
  const [flag] = FLAGS[field].split(' ');
  return givenValue(options, field) === false ? flag.replace('--', '--no-') : flag;
}

/** The value that was given for a field; undefined if none was. */
export function givenValue(options: FusionOptions, field: FusionField): unknown {
  const words = FLAGS[field].split(' ')[0].slice(2);
  const name = words.replace(/-[a-z]/g, ([, letter]) => letter.toUpperCase());
  return options[name as keyof FusionOptions];
}
