// [owner] Attacks an owner's embeddings with the owner's own readings, before anything is sent, and says what they give away.
import type { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import { timeKind } from '../../exchange/bundle/canonical-time.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import { type AnswerBound, answerBound } from './answer-table.ts';
import { distanceCorrelation } from './distance-correlation.ts';
import { type ClassGuess, guessClasses } from './guess-classes.ts';
import { guessMembership, type MembershipGuess } from './guess-membership.ts';
import { type EmbedWindows, type JacobianBound, jacobianBound } from './jacobian-bound.ts';
import { fitNetwork } from './network-attacker.ts';
import { FEWEST_PAIRS, holdOut, recoverWindows, type WindowRecovery, windowTargets } from './recover-windows.ts';
import type { Attacker } from './ridge.ts';
import { columnsOf, pickRows, type Rows, recovered, rowCount, rowsOf } from './rows.ts';

/** What is attacked, and with what. */
export interface AuditInput {
  owner: string;
  samples: readonly string[];
  /** [sample, d] as they would be sent */
  embeddings: ArrayLike<number>;
  width: number;
  /** [sample, time, variate]: the readings */
  windows: ArrayLike<number>;
  /** Time steps of a window. */
  length: number;
  variates: readonly string[];
  /** [sample]: class numbers, where the owner has labels */
  labels?: ArrayLike<number> | undefined;
  /** Which part each sample is in; without it a half, chosen by the seed, is held out. */
  parts?: readonly Part[] | undefined;
  /** [sample, class]: class probabilities, if they would be sent too */
  votes?: { probabilities: ArrayLike<number>; classes: number } | undefined;
  /** Other things that somebody may want to know of a sample: class numbers, −1 where unknown. */
  attributes?: Readonly<Record<string, ArrayLike<number>>> | undefined;
  /** The frozen local model, for the bound that needs no attacker. */
  embed?: EmbedWindows | undefined;
  /** Standard deviation of the noise that the embeddings have. */
  noise?: number | undefined;
}

/** A held-out window and what was recovered of it, to be drawn. */
export interface RecoveredWindow {
  sample: string;
  /** [time] of the first variate */
  truth: number[];
  guess: number[];
}

/** What an owner's embeddings give away. */
export interface LeakAudit {
  owner: string;
  samples: number;
  /** Samples that no attacker has seen, on which all figures were measured. */
  heldOut: number;
  width: number;
  windowNumbers: number;
  recoveries: WindowRecovery[];
  /** The largest share that any attacker recovers of a window's mean, of its last reading or of all its readings. */
  worst: number;
  classes: ClassGuess[];
  membership?: MembershipGuess | undefined;
  /** How well embeddings are computed from readings by whoever knows a tenth of the pairs: share of their variance. */
  imitation: number;
  distanceCorrelation: number;
  bound?: JacobianBound | undefined;
  /** Where embeddings take few values: what they give away to whoever looks. */
  answers?: AnswerBound | undefined;
  examples: RecoveredWindow[];
  seed: number;
}

const KNOWN = [0.01, 0.1, 0.5];
const IMITATED_FROM = 0.1;
/** Fewer samples say nothing about the others. */
const FEWEST = 20;
const DISTANCES = 500;
const EXAMPLES = 6;

/** Attacks one owner's embeddings. The same input and seed give the same figures. */
export function auditEmbeddings(engine: Engine, input: AuditInput, seed = 1): LeakAudit {
  const { owner, samples, width, variates, length } = input;
  const size = length * variates.length;
  const [embeddings, windows] = [rowsOf(input.embeddings, width), rowsOf(input.windows, size)];
  checkRows(input, embeddings, windows);
  const { known, test } = holdOut(samples.length, input.parts, seed);
  const targets = windowTargets(windows, length, variates.length);
  const answers = answerBound(embeddings, targets);
  const { recoveries, best } = recoverWindows(
    engine,
    { embeddings, targets, known, test, samples: samples.length },
    { shares: KNOWN, seed, attackers: answers ? ['line', 'network', 'table'] : ['line', 'network'] },
  );
  const tenth = known.slice(0, Math.max(FEWEST_PAIRS, Math.round(IMITATED_FROM * samples.length)));
  const imitator = fitNetwork(engine, pickRows(windows, tenth), pickRows(embeddings, tenth), seed);
  const imitation = recovered(
    pickRows(embeddings, test),
    imitator(pickRows(windows, test)),
    columnsOf(pickRows(embeddings, tenth)).mean,
  ).share;
  const far = test.slice(0, DISTANCES);
  const votes = input.votes && rowsOf(input.votes.probabilities, input.votes.classes);
  const membership = input.parts && guessMembership(embeddings, ...sidesOf(input.parts), seed, votes);
  const bound = input.embed && jacobianBound(windows, test, input.embed, input.noise);
  return {
    owner,
    samples: samples.length,
    heldOut: test.length,
    width,
    windowNumbers: size,
    recoveries,
    worst: Math.max(...recoveries.flatMap(({ mean, last, every }) => [mean.share, last.share, every.share])),
    classes: attributesOf(input).map(([name, labels]) => guessClasses(name, embeddings, labels, { known, test }, seed)),
    ...(membership && { membership }),
    imitation,
    distanceCorrelation: distanceCorrelation(pickRows(windows, far), pickRows(embeddings, far)),
    ...(bound && { bound }),
    ...(answers && { answers }),
    examples: examplesOf(input, targets.rows, embeddings, test, best),
    seed,
  };
}

function checkRows({ owner, samples }: AuditInput, embeddings: Rows, windows: Rows): void {
  if (samples.length < FEWEST) {
    const rule = `must have at least ${FEWEST} samples, half of which no attacker sees`;
    throw new F3Error('F3_LEAK_AUDIT', `audit of ${owner}: ${rule}, got ${samples.length}`);
  }
  for (const [name, rows] of Object.entries({ embeddings, windows })) {
    if (rowCount(rows) !== samples.length) {
      const rule = `${name} must have one row per sample (${samples.length})`;
      throw new F3Error('F3_LEAK_AUDIT', `audit of ${owner}: ${rule}, got ${rowCount(rows)}`);
    }
    const bad = rows.values.findIndex((value) => !Number.isFinite(value));
    if (bad < 0) continue;
    const where = `sample ${samples[Math.floor(bad / rows.width)]}`;
    throw new F3Error('F3_LEAK_AUDIT', `audit of ${owner}: ${name} must be finite, got ${rows.values[bad]} (${where})`);
  }
}

const sidesOf = (parts: readonly Part[]): [number[], number[]] => [
  [...parts.keys()].filter((row) => parts[row] === 'train'),
  [...parts.keys()].filter((row) => parts[row] !== 'train'),
];

function attributesOf({ labels, attributes = {}, samples }: AuditInput): [string, ArrayLike<number>][] {
  const hours = hoursOf(samples);
  return [
    ...(labels ? [['label', labels] as [string, ArrayLike<number>]] : []),
    ...(hours ? [['time of day', hours] as [string, ArrayLike<number>]] : []),
    ...Object.entries(attributes),
  ];
}

/** Night, morning, afternoon, evening, where sample ids are times. */
function hoursOf(samples: readonly string[]): Int32Array | undefined {
  if (!samples.every((sample) => timeKind(sample) !== undefined)) return undefined;
  return Int32Array.from(samples, (sample) => Math.floor(Number(sample.slice(11, 13)) / 6));
}

function examplesOf(
  { samples, length, variates }: AuditInput,
  targets: Rows,
  embeddings: Rows,
  test: readonly number[],
  attacker: Attacker,
): RecoveredWindow[] {
  const rows = test.slice(0, EXAMPLES);
  const guessed = attacker(pickRows(embeddings, rows));
  const truth = pickRows(targets, rows);
  const series = ({ values, width }: Rows, i: number) =>
    Array.from({ length }, (_, t) => values[i * width + 2 * variates.length + t * variates.length]);
  return rows.map((row, i) => ({ sample: samples[row], truth: series(truth, i), guess: series(guessed, i) }));
}
