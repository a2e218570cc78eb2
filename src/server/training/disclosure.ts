// [coordinator] What others than the label holder are told of scores and losses: nothing of parts that may not be told of, and
// of the others as many digits as their size supports.
import { createHmac } from 'node:crypto';
import { STANDARD_LABEL_RULES } from '../../exchange/label-access.ts';
import type { ModelScores } from '../../exchange/messages.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import type { FusedFacts } from '../../fuse/model/fused-model.ts';
import type { Scores } from '../../fuse/scores/scores.ts';
import type { SearchProgress, SearchReport } from '../../fuse/search/search-report.ts';
import type { JsonObject, TrainingRow } from '../../storage/schema.ts';

type ToldPart = 'train' | 'validation' | 'test';

/** Which parts of a training are told of. */
export interface Disclosure {
  /** Id of the member who sent the labels. */
  holder: string;
  /** Samples of each part; null: nothing is told of it. Undefined until the parts are known. */
  parts?: Record<ToldPart, number | null> | undefined;
}

/** Below this many samples nothing is told of models that were trained before there were rules. */
const SMALLEST_OLD_PART = STANDARD_LABEL_RULES.smallestPart;

/**
 * The step to which scores on so many samples are rounded: the digit in which their standard error begins, at most 0.5/√n for a
 * share. What comes after that digit says nothing about the model, and much about single labels.
 */
export function scoreStep(samples: number): number {
  return 10 ** Math.floor(Math.log10(0.5 / Math.sqrt(Math.max(1, samples))) + 1e-9);
}

/** Numbers above 1, as losses may be, keep as many digits as those below it. */
export function roundScore(score: number | null, samples: number | null): number | null {
  if (samples === null || score === null || !Number.isFinite(score)) return null;
  const step = scoreStep(samples) * 10 ** Math.max(0, Math.floor(Math.log10(Math.abs(score) || 1)));
  return Number((Math.round(score / step) * step).toPrecision(6));
}

/** How many there are, roughly: whether one more is among them cannot be told. */
export function roundCount(count: number): number {
  const step = countStep(count);
  return Math.round(count / step) * step;
}

/** Two digits, and never less than ten. */
export const countStep = (count: number): number => 10 ** Math.max(1, Math.floor(Math.log10(Math.max(1, count))) - 1);

/** Of a model without a disclosure, which an older f3 trained, the sizes of its parts decide. */
const partsOf = (disclosure: Disclosure | null, samples?: FusedFacts['samples']): Record<ToldPart, number | null> => {
  if (disclosure) return disclosure.parts ?? { train: null, validation: null, test: null };
  const of = (part: ToldPart) => (samples && samples[part] >= SMALLEST_OLD_PART ? samples[part] : null);
  return { train: of('train'), validation: of('validation'), test: of('test') };
};

export function discloseScores(scores: Scores | ModelScores, samples: number | null): ModelScores {
  const { accuracy, f1, auc, prAuc, loss } = scores;
  const of = (score: number | null) => roundScore(score, samples);
  return { accuracy: of(accuracy), f1: of(f1), auc: of(auc), prAuc: of(prAuc), loss: of(loss) };
}

/** The scores of a model in a list. */
export function discloseListed(
  { validation, test, samples }: { validation: Scores; test: Scores; samples: FusedFacts['samples'] },
  disclosure: Disclosure | null,
): { validation: ModelScores; test: ModelScores } {
  const parts = partsOf(disclosure, samples);
  return { validation: discloseScores(validation, parts.validation), test: discloseScores(test, parts.test) };
}

/** An epoch that a training reports. */
export function discloseProgress(progress: JsonObject | null, disclosure: Disclosure | null): JsonObject | null {
  if (!progress) return null;
  const parts = partsOf(disclosure);
  if (progress.search) return { search: discloseSearching(progress.search as SearchProgress, parts.validation) };
  const { trainLoss, validationLoss, ...rest } = progress;
  return { ...rest, ...losses({ trainLoss, validationLoss }, parts) };
}

/** Where a search stands: which fits it made is no secret, how good they are is told as scores are. */
function discloseSearching({ best, ...rest }: Omit<SearchProgress, 'stage'>, samples: number | null): JsonObject {
  const criterion = best ? roundScore(best.criterion, samples) : null;
  return best && criterion !== null ? { ...rest, best: { name: best.name, criterion } } : rest;
}

/** What a search tried, with its numbers rounded as scores are, or withheld. */
function discloseSearch(search: SearchReport, samples: number | null): JsonObject {
  const tried = search.tried.map(({ criterion, situations, failure: _, ...fit }) => ({
    ...fit,
    criterion: roundScore(criterion, samples),
    situations: situations.map(({ absent, loss, f1, auc }) => ({
      absent,
      loss: roundScore(loss, samples),
      f1: roundScore(f1, samples),
      auc: roundScore(auc, samples),
    })),
  }));
  return { ...search, tried };
}

/** The progress of a training, as a reader may see it. `exact`: the label holders of whose labels it is told everything. */
export function toldProgress(
  { progress, disclosure }: Pick<TrainingRow, 'progress' | 'disclosure'>,
  exact: ReadonlySet<string>,
): JsonObject | null {
  const told = disclosureOf(disclosure);
  return told && exact.has(told.holder) ? progress : discloseProgress(progress, told);
}

/** The losses of a training by epoch, as a reader may see them. */
export function toldCurve(
  { curve, disclosure }: Pick<TrainingRow, 'curve' | 'disclosure'>,
  exact: ReadonlySet<string>,
): JsonObject[] {
  return (curve ?? []).map((point) => toldProgress({ progress: point, disclosure }, exact) as JsonObject);
}

export const disclosureOf = (stored: JsonObject | null | undefined): Disclosure | null =>
  (stored as Disclosure | null | undefined) ?? null;

function losses(
  { trainLoss, validationLoss }: { trainLoss?: unknown; validationLoss?: unknown },
  parts: Record<ToldPart, number | null>,
): { trainLoss: number | null; validationLoss: number | null } {
  const of = (loss: unknown, part: ToldPart) => roundScore(typeof loss === 'number' ? loss : null, parts[part]);
  return { trainLoss: of(trainLoss, 'train'), validationLoss: of(validationLoss, 'validation') };
}

/** Fields of a card that no label has an influence on, or only through the choice of a setting. */
const PLAIN = [
  'format',
  'version',
  'code',
  'created',
  'weights',
  'config',
  'classes',
  'epochs',
  'bestEpoch',
  'seconds',
  'refitted',
  'split',
  'decision',
] as const satisfies (keyof FusedCard)[];

/** How much of a card is told. */
export interface CardTelling {
  disclosure: Disclosure | null;
  /** Whether the reader is told every digit. */
  isExact: boolean;
  /** The federation's secret. */
  key: string;
}

/** A field that is not known here is left out, because nobody has thought about what it tells. */
export function discloseCard(stored: FusedCard, { disclosure, isExact, key }: CardTelling): JsonObject {
  const card = keyValidation(stored, key);
  if (isExact) return { ...card };
  const told = discloseFacts(card, partsOf(disclosure, card.samples));
  return { ...told, ...pick(card) };
}

/** The hash of the validation part depends on labels, in each member of an ensemble, too: against a plain one labels could be tried out. */
function keyValidation<T extends FusedFacts>(facts: T, key: string): T {
  const { validatedOn, ensemble } = facts;
  return {
    ...facts,
    ...(validatedOn && { validatedOn: keyedHash(validatedOn, key) }),
    ...(ensemble && {
      ensemble: { ...ensemble, members: ensemble.members.map((member) => keyValidation(member, key)) },
    }),
  };
}

function discloseFacts(facts: FusedFacts, parts: Record<ToldPart, number | null>): JsonObject {
  const { owners, samples, history, validation, test, learningRates, ensemble, search, validatedOn, calibration } =
    facts;
  const ofValidation = (score: number) => roundScore(score, parts.validation);
  return {
    ...pick(facts),
    owners: owners.map((owner) => ({ ...owner, joined: roundCount(owner.joined) })),
    samples: {
      train: roundCount(samples.train),
      validation: roundCount(samples.validation),
      test: roundCount(samples.test),
    },
    history: history.map((epoch) => ({ ...epoch, ...losses(epoch, parts) })),
    validation: discloseScores(validation, parts.validation),
    test: discloseScores(test, parts.test),
    ...(validatedOn && { validatedOn }),
    ...(calibration && { calibration: { temperature: ofValidation(calibration.temperature) } }),
    ...(learningRates && {
      learningRates: learningRates.map(({ rate, validationLoss }) => ({
        rate,
        validationLoss: ofValidation(validationLoss),
      })),
    }),
    ...(search && { search: discloseSearch(search, parts.validation) }),
    ...(ensemble && {
      ensemble: {
        mixture: {
          weights: ensemble.mixture.weights.map(ofValidation),
          temperature: ofValidation(ensemble.mixture.temperature),
        },
        members: ensemble.members.map((member) => discloseFacts(member, parts)),
      },
    }),
    toldTo: { validation: stepOf(parts.validation), test: stepOf(parts.test) },
  };
}

const pick = (facts: object): JsonObject =>
  Object.fromEntries(PLAIN.flatMap((name) => (name in facts ? [[name, facts[name as never]]] : [])));

/** The step that scores are rounded to, or null where they are withheld. */
const stepOf = (samples: number | null): number | null => (samples === null ? null : scoreStep(samples));

/** A hash that depends on labels, under the federation's secret. */
export const keyedHash = (hash: string, key: string): string => createHmac('sha256', key).update(hash).digest('hex');
