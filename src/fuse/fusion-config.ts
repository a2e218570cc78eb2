// [coordinator] What a fused model is: every variant and baseline of the paper is a value here (Sections 4 and 5). Types,
// limits, command-line options and HTTP bodies all follow from the one schema in this file.
import { z } from 'zod';
import { F3Error } from '../errors.ts';

/** Learned by gradients, step after step. */
export const NETWORK_METHODS = ['consensus', 'transformer', 'concatenation'] as const;
export const LEARNED_METHODS = [...NETWORK_METHODS, 'boosting'] as const;
export const VOTE_METHODS = ['majority', 'threshold', 'best', 'average'] as const;
/** A method that counts the owners' own votes. */
export type VoteMethod = (typeof VOTE_METHODS)[number];
/** How owners become one prediction. */
export type FusionMethod = (typeof LEARNED_METHODS)[number] | VoteMethod;

export const isVoteMethod = (method: FusionMethod): method is VoteMethod =>
  (VOTE_METHODS as readonly string[]).includes(method);

/** Whether another seed makes another model. Votes are counted, and trees draw nothing unless owners are left out. */
export const drawsBySeed = ({ method, ownerDropout }: Pick<FusionConfig, 'method' | 'ownerDropout'>): boolean =>
  !isVoteMethod(method) && (method !== 'boosting' || ownerDropout > 0);

const count = (most: number) => z.number().int().min(1).max(most);

/**
 * `consensus` is F³; without alignment and graph it is mean pooling. `boosting` grows trees on all embeddings side by side.
 * The last four methods count the owners' own votes.
 */
export const fusionConfigSchema = z.strictObject({
  method: z.enum([...LEARNED_METHODS, ...VOTE_METHODS]).describe('how owners become one prediction'),
  /**
   * Quantiles: every number of an embedding becomes a piecewise-linear code of its owner's quantile bins (Gorishniy et al.
   * 2022), which the soft alignment then takes in place of the number. Auto: one fit with codes and one without, of which the one with
   * the lower validation loss is kept; without where codes cannot be.
   */
  encoding: z.enum(['none', 'quantiles', 'auto']).describe('code of the numbers of an embedding, for soft alignment'),
  bins: z.number().int().min(2).max(256).describe('quantile bins of every number, for codes'),
  /** Common: an owner's table leads where its matrix P_i would, into d numbers that one W0 takes on to the hidden layer. */
  tables: z.enum(['hidden', 'common']).describe('where codes lead: the hidden layer, or the common space before it'),
  /** P_i: none, free (soft), or nearly a permutation by Sinkhorn–Knopp (hard). */
  alignment: z.enum(['none', 'soft', 'hard']).describe('one matrix per owner'),
  ownerBias: z.boolean().describe('add a bias of its own to each alignment'),
  /** M∘M or exp(σ(M)/0.01). */
  sinkhorn: z.enum(['square', 'exp']).describe('start of Sinkhorn–Knopp, for hard alignment'),
  sweeps: count(1000).describe('Sinkhorn–Knopp sweeps, for hard alignment'),
  entropyWeight: z.number().min(0).max(1e6).describe('weight of the mean row entropy, for hard alignment'),
  /** A: none (mean pooling, Eq. 5), given, κ nearest neighbours, or learned by either relaxation. */
  graph: z.enum(['none', 'given', 'knn', 'icdf', 'gumbel']).describe('graph between owners'),
  /** F of the ICDF relaxation. */
  reference: z.enum(['normal', 'logistic', 'uniform']).describe('distribution behind ICDF'),
  /** τ */
  temperature: z.number().min(0.001).max(10).describe('temperature of the relaxation'),
  /**
   * Puts edge probabilities back inside their clamp after every update. The published program does not: one that steps
   * over the clamp gets no more gradient and stays there for good.
   */
  projectEdges: z.boolean().describe('keep edge probabilities inside their clamp, where they can still learn'),
  graphsPer: z.enum(['example', 'batch']).describe('a fresh sampled graph for each'),
  /** κ */
  neighbours: count(100_000).describe('neighbours of each owner, for graph knn'),
  /**
   * `batch` is the paper's: the graph of a prediction comes from whichever samples are predicted together, so an answer
   * depends on its company and the model cannot be served. `frozen` keeps the graph of the training part with the model.
   */
  neighbourGraph: z.enum(['batch', 'frozen']).describe('whose neighbours predictions use, for graph knn'),
  skip: z.boolean().describe('add another identity to the normalised graph'),
  /** h */
  hidden: count(4096).describe('width of the hidden layer'),
  /** Quadratic: ¼z² + ½z, which can be computed on shares where a comparison cannot. */
  activation: z.enum(['relu', 'quadratic']).describe('activation of the hidden layer'),
  /** `layers` takes the mean over owners through another layer first. */
  readout: z.enum(['linear', 'layers']).describe('from the mean over owners to the classes'),
  ownerDropout: z
    .number()
    .min(0)
    .lt(1)
    .describe('chance that an owner is left out of a training example, so that prediction survives absence'),
  /**
   * Sgd: stochastic gradient descent with momentum 0.9, which can be computed on shares. Edge probabilities learn by Adam in
   * any case, under sgd with the rate `EDGE_RATE`.
   */
  optimizer: z.enum(['adam', 'sgd']).describe('how gradients change the weights'),
  learningRate: z.number().min(1e-8).max(10).describe('learning rate'),
  /**
   * Cosine: the rate rises over the first epoch and falls along half a cosine to a hundredth after the last of `epochs`. Edge probabilities
   * keep their own rate under sgd.
   */
  schedule: z.enum(['constant', 'cosine']).describe('learning rate over the epochs'),
  /** λ of AdamW. Biases and edge probabilities do not decay. */
  weightDecay: z.number().min(0).max(100).describe('share of the weights, times the learning rate, lost per step'),
  /** β of an exponential mean, about 1/(1 − β) steps long. */
  averageWeights: z
    .number()
    .min(0)
    .lt(1)
    .describe('predict with weights averaged over steps, this share kept; 0: do not'),
  batch: count(100_000).describe('samples per step'),
  epochs: count(100_000).describe('most epochs'),
  patience: count(100_000).describe('epochs without a lower validation loss before training stops'),
  /** S */
  predictionGraphs: count(10_000).describe('sampled graphs whose logits are averaged at prediction'),
  /**
   * Temperature: the logits are divided by one number that the validation part chooses, so that confidence and accuracy agree (Guo et
   * al. 2017). It goes into the last layer, or into the trees; an ensemble has one for all its members instead.
   */
  calibration: z
    .enum(['none', 'temperature'])
    .describe('make answers as sure as they are right, by a temperature that the validation part chooses'),
  /** F1: the class that makes the expected F1 largest, so that a rare class needs less probability to be named than a common one. */
  decision: z.enum(['likeliest', 'f1']).describe('class that an answer names: the likeliest, or the one best for F1'),
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).describe('seed of weights, shuffles and graphs'),
});

/** Every choice of a fusion, settled. */
export type FusionConfig = z.infer<typeof fusionConfigSchema>;
/** The name of a field of the config. */
export type FusionField = keyof FusionConfig;

/** The published program's choices (row K of Table 2). */
export const paperPreset: FusionConfig = {
  method: 'consensus',
  encoding: 'none',
  bins: 8,
  tables: 'hidden',
  alignment: 'soft',
  ownerBias: false,
  sinkhorn: 'square',
  sweeps: 10,
  entropyWeight: 0.01,
  graph: 'icdf',
  reference: 'normal',
  temperature: 0.1,
  projectEdges: false,
  graphsPer: 'example',
  neighbours: 10,
  neighbourGraph: 'batch',
  skip: true,
  hidden: 8,
  activation: 'relu',
  readout: 'linear',
  ownerDropout: 0,
  optimizer: 'adam',
  learningRate: 0.01,
  schedule: 'constant',
  weightDecay: 0,
  averageWeights: 0,
  batch: 100,
  epochs: 500,
  patience: 50,
  predictionGraphs: 10,
  calibration: 'none',
  decision: 'likeliest',
  seed: 0,
};

/**
 * A consensus graph that can be read: edge probabilities that come back from their clamp, learned with half of the owners
 * absent. It was our advice before codes were.
 */
export const graphPreset: FusionConfig = {
  ...paperPreset,
  ownerDropout: 0.5,
  projectEdges: true,
  neighbourGraph: 'frozen',
};

/**
 * What we advise, chosen on validation over four data sets (docs/results): codes where they help, a wide hidden layer read out
 * by two, averaged weights, half of the owners absent in training, a temperature, and no graph, which costs much and gains nothing.
 */
export const recommendedPreset: FusionConfig = {
  ...graphPreset,
  encoding: 'auto',
  tables: 'common',
  graph: 'none',
  hidden: 64,
  readout: 'layers',
  learningRate: 0.003,
  weightDecay: 0.1,
  averageWeights: 0.99,
  calibration: 'temperature',
  decision: 'f1',
  epochs: 200,
  patience: 20,
};

/** What can be computed on shares, with sound defaults: no comparison, plain steps, and no graph, as we advise in the clear. */
export const sharesPreset: FusionConfig = {
  ...graphPreset,
  graph: 'none',
  graphsPer: 'batch',
  hidden: 16,
  activation: 'quadratic',
  ownerDropout: 0.2,
  optimizer: 'sgd',
  learningRate: 0.1,
  epochs: 200,
  patience: 20,
};

/** The presets by name. */
export const fusionPresets = {
  paper: paperPreset,
  graph: graphPreset,
  recommended: recommendedPreset,
  shares: sharesPreset,
} as const;
/** The name of a preset. */
export type FusionPreset = keyof typeof fusionPresets;
export const DEFAULT_PRESET: FusionPreset = 'recommended';

/**
 * Where a method starts instead, under any preset. Trees of boosting take larger steps, and fewer, than weights do; they learn
 * from absence only when asked, because it takes them twice the time and, with everybody there, some of their loss.
 */
export const METHOD_STARTS: { readonly [Method in FusionMethod]?: Partial<FusionConfig> } = {
  boosting: { learningRate: 0.1, epochs: 500, patience: 20, ownerDropout: 0 },
};

/** Where an optimizer starts instead, under any preset: plain steps are longer than Adam's. */
export const OPTIMIZER_STARTS: { readonly [Name in FusionConfig['optimizer']]?: Partial<FusionConfig> } = {
  sgd: { learningRate: 0.1 },
};
/** Momentum of stochastic gradient descent. */
export const SGD_MOMENTUM = 0.9;
/** Rate with which Adam learns edge probabilities while the weights learn by stochastic gradient descent. */
export const EDGE_RATE = 0.01;

/** What a caller states of a fusion: a preset, and what differs from it. */
export type FusionChoice = { preset?: FusionPreset | undefined } & {
  [Field in FusionField]?: FusionConfig[Field] | undefined;
};

/** The preset with the caller's changes, checked. The message names the field, its rule and the value. */
export function resolveFusionConfig({ preset = DEFAULT_PRESET, ...changes }: FusionChoice = {}): FusionConfig {
  const start = fusionPresets[preset];
  if (!start) {
    throw new F3Error('F3_ARGUMENT', `preset: must be ${listOf(Object.keys(fusionPresets))}, got ${preset}`);
  }
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const changed: Partial<FusionConfig> = Object.fromEntries(given);
  const config: Record<string, unknown> = {
    ...start,
    ...METHOD_STARTS[changed.method ?? start.method],
    ...OPTIMIZER_STARTS[changed.optimizer ?? start.optimizer],
    ...changed,
  };
  for (const [field, value] of Object.entries(config)) {
    if (!Object.hasOwn(fusionConfigSchema.shape, field)) {
      const known = Object.keys(fusionConfigSchema.shape).join(', ');
      throw new F3Error('F3_ARGUMENT', `config: fields must be among preset, ${known}; got ${field}`);
    }
    const rule = fusionFieldRule(field as FusionField);
    if (fusionConfigSchema.shape[field as FusionField].safeParse(value).success) continue;
    throw new F3Error('F3_ARGUMENT', `${field}: must be ${rule}, got ${JSON.stringify(value) ?? String(value)}`);
  }
  return config as FusionConfig;
}

/** What a field may be, in words: "a whole number from 1 to 1000", "none, soft or hard". */
export function fusionFieldRule(field: FusionField): string {
  const type = fusionConfigSchema.shape[field];
  if (type instanceof z.ZodEnum) return listOf(type.options.map(String));
  if (type instanceof z.ZodBoolean) return 'true or false';
  const { minimum, maximum, exclusiveMaximum, type: kind } = z.toJSONSchema(type);
  const what = kind === 'integer' ? 'a whole number' : 'a number';
  if (exclusiveMaximum !== undefined) return `${what} of at least ${minimum} and below ${exclusiveMaximum}`;
  if (maximum === Number.MAX_SAFE_INTEGER) return `${what} of at least ${minimum}`;
  return `${what} from ${minimum} to ${maximum}`;
}

const listOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** The encodings that a config asks to try, in their order; each is a fit. */
export function candidateEncodings(config: FusionConfig): Exclude<FusionConfig['encoding'], 'auto'>[] {
  if (config.encoding !== 'auto') return [config.encoding];
  return canEncode(config) ? ['quantiles', 'none'] : ['none'];
}

/** Codes are for a soft alignment; neighbours are found among embeddings as they are. */
export const canEncode = ({ method, alignment, graph }: FusionConfig): boolean =>
  method === 'consensus' && alignment === 'soft' && graph !== 'knn';

/** Learning rates that the published program chooses between on validation. */
export const CANDIDATE_LEARNING_RATES = [0.01, 0.001] as const;

/**
 * Rows of Table 2, as changes to the paper's preset. A and J want bundles of owners trained another way (`f3 owner train
 * --common` and `--tied-head`). L and M train the owners' models too: see experiments/end-to-end.ts.
 */
export const paperRows = {
  A: { method: 'average' },
  B: { method: 'majority' },
  C: { method: 'threshold' },
  D: { method: 'best' },
  E: { alignment: 'none', graph: 'none' },
  F: { method: 'transformer' },
  G: { method: 'concatenation' },
  H: { alignment: 'none' },
  J: { alignment: 'none' },
  K: {},
} as const satisfies Record<string, Partial<FusionConfig>>;

/** The name of a row of Table 2. */
export type PaperRow = keyof typeof paperRows;
