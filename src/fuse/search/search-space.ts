// [coordinator] What a search tries: starts that differ in kind, then changes of one field of the best so far. The space is small
// and stands here, so that whoever reads a table of what was tried knows what was not.
import { F3Error } from '../../errors.ts';
import { missedPurpose } from '../field-purposes.ts';
import {
  type FusionChoice,
  type FusionConfig,
  type FusionField,
  isVoteMethod,
  METHOD_STARTS,
  paperPreset,
  recommendedPreset,
  resolveFusionConfig,
} from '../fusion-config.ts';

/** A config that a search may try. */
export interface Candidate {
  /** Whole, with fields that do nothing at the paper's values: equal configs do the same. */
  config: FusionConfig;
  /** What it is, in words. */
  name: string;
}

/** What a caller fixes for every candidate. */
export type FixedFields = { [Field in FusionField]?: FusionConfig[Field] | undefined };

/** Epochs without progress: fewer than a single fit is given, because there are many. */
const PATIENCE = 20;
const POOLED: FusionConfig = {
  ...paperPreset,
  graph: 'none',
  neighbourGraph: 'frozen',
  graphsPer: 'batch',
  projectEdges: true,
  patience: PATIENCE,
  readout: 'layers',
  hidden: 32,
  ownerBias: true,
  ownerDropout: 0.5,
  weightDecay: 0.1,
  averageWeights: 0.99,
  decision: recommendedPreset.decision,
};
const CODED: FusionConfig = { ...POOLED, encoding: 'quantiles', bins: 8 };
/** Without a temperature: a fit that was calibrated on the part that judges it would look too good. What is chosen gets one in the end. */
const ADVISED: FusionConfig = { ...recommendedPreset, calibration: 'none', patience: PATIENCE };
const BOOSTED: FusionConfig = {
  ...paperPreset,
  ...METHOD_STARTS.boosting,
  method: 'boosting',
  decision: recommendedPreset.decision,
};

/** Tried first, in this order: a budget below their number ends among them. */
export const SEARCH_STARTS: readonly { name: string; config: FusionConfig }[] = [
  { name: 'what we advise, with codes', config: { ...ADVISED, encoding: 'quantiles' } },
  { name: 'what we advise, without codes', config: { ...ADVISED, encoding: 'none' } },
  { name: 'boosted trees that saw absence', config: { ...BOOSTED, ownerDropout: 0.5 } },
  { name: 'quantile codes into the hidden layer, owner biases', config: CODED },
  { name: 'the same with a learned graph', config: { ...CODED, graph: 'icdf' } },
  { name: 'boosted trees', config: BOOSTED },
];
/** So many of the starts are made first and in full; they are what the others are measured against. */
export const FREE_STARTS = 2;

/** Then every one of these values in the best config so far, one field at a time, in this order. */
export const SEARCH_STEPS: readonly {
  [Field in FusionField]: { field: Field; values: readonly FusionConfig[Field][] };
}[FusionField][] = [
  { field: 'bins', values: [4, 16] },
  { field: 'weightDecay', values: [0, 0.3] },
  { field: 'ownerDropout', values: [0.2, 0.5, 0.7] },
  { field: 'encoding', values: ['none', 'quantiles'] },
  { field: 'readout', values: ['linear', 'layers'] },
  { field: 'graph', values: ['none', 'icdf'] },
  { field: 'hidden', values: [16, 64] },
];
/** Last, the learning rate times these. */
export const SEARCH_RATES = [0.3, 3] as const;

/** Takes at least as much memory as anything that a search tries without being told otherwise. */
export const LARGEST_SEARCHED: FusionConfig = { ...CODED, bins: 16, hidden: 64, graph: 'icdf', graphsPer: 'example' };

/** The starts under what the caller fixed; those that become equal count once. */
export function searchStarts(fixed: FixedFields): Candidate[] {
  checkFixed(fixed);
  const { method = 'consensus' } = fixed;
  // A network of another method starts where the consensus does.
  const startsOf = method === 'boosting' ? method : 'consensus';
  const starts = SEARCH_STARTS.filter(({ config }) => fixed.method === undefined || config.method === startsOf);
  const candidates = distinct(starts.map(({ name, config }) => candidate({ ...config, ...given(fixed) }, name)));
  for (const field of Object.keys(given(fixed)) as FusionField[]) {
    const missed = candidates.map(({ config }) => missedPurpose(field, config));
    if (!missed.every((purpose) => purpose !== undefined)) continue;
    const [{ field: needed, values }] = missed;
    throw new F3Error(
      'F3_ARGUMENT',
      `${field}: is for ${needed} ${values.join(' or ')} only, which the search does not try`,
    );
  }
  return candidates;
}

/** What is known of the fit whose neighbours are asked for. */
export interface StepFrom {
  /** What the names of its neighbours call it. */
  name: string;
  /** Whether its epochs were used up while it still made progress: a lower learning rate would not come as far. */
  isCutShort: boolean;
}

/** The changes of one field of `best`, under what the caller fixed. */
export function searchSteps(best: FusionConfig, fixed: FixedFields, { name: from, isCutShort }: StepFrom): Candidate[] {
  const steps = SEARCH_STEPS.flatMap(({ field, values }) =>
    fixed[field] !== undefined || missedPurpose(field, best)
      ? []
      : values
          .filter((value) => value !== best[field])
          .map((value) => candidate({ ...best, [field]: value }, `${from} with ${field} ${value}`)),
  );
  if (fixed.learningRate === undefined) {
    for (const factor of SEARCH_RATES) {
      if (isCutShort && factor < 1) continue;
      const learningRate = Number((factor * best.learningRate).toPrecision(3));
      steps.push(candidate({ ...best, learningRate }, `${from} with learningRate ${learningRate}`));
    }
  }
  return distinct(steps).filter(({ config }) => configKey(config) !== configKey(best));
}

/** For sorting, the dearest first: a learned graph takes several times what a fit without one does, and trees more than most. */
export const dearest = (a: FusionConfig, b: FusionConfig): number => dearness(b) - dearness(a);

function dearness({ method, graph, encoding }: FusionConfig): number {
  if (method === 'boosting') return 2;
  if (graph !== 'none') return 3;
  return encoding === 'none' ? 0 : 1;
}

export function candidate(config: Partial<FusionConfig>, name: string): Candidate {
  return { config: onlyUseful(resolveFusionConfig({ preset: 'paper', ...config } as FusionChoice)), name };
}

/** The same for configs that do the same. */
export function configKey(config: FusionConfig): string {
  return JSON.stringify(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ config }) => {
    const key = configKey(config);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** A field that does nothing takes the paper's value. One that falls may let another fall, so it is done until none does. */
function onlyUseful(config: FusionConfig): FusionConfig {
  const idle = (Object.keys(config) as FusionField[]).find(
    (field) => config[field] !== paperPreset[field] && missedPurpose(field, config),
  );
  return idle ? onlyUseful({ ...config, [idle]: paperPreset[idle] }) : config;
}

/** What is fixed of a fit; a temperature is for what was chosen. */
const given = ({ calibration: _, ...fixed }: FixedFields): Partial<FusionConfig> =>
  Object.fromEntries(Object.entries(fixed).filter(([, value]) => value !== undefined));

function checkFixed(fixed: FixedFields): void {
  if (fixed.method && isVoteMethod(fixed.method)) {
    throw new F3Error('F3_ARGUMENT', `method: must learn from embeddings to be searched, got ${fixed.method}`);
  }
  resolveFusionConfig({ preset: 'paper', ...given(fixed) } as FusionChoice);
}
