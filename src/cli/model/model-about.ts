// Describes a fused model and how it was made, as labelled lines with only the options that matter to it. A card that came from a
// coordinator has null in the place of numbers that it withholds.
import { drawsBySeed, isVoteMethod } from '../../fuse/fusion-config.ts';
import type { FusedCard } from '../../fuse/model/model-folder.ts';
import type { DecisionRule } from '../../fuse/scores/decision-rule.ts';
import { shownNumber } from '../terminal/shown-number.ts';

/** [label, text] */
export type LabelledLine = [string, string];

export function aboutModel(card: FusedCard): LabelledLine[] {
  return [...ensembleLines(card), ...methodLines(card), ...dataLines(card), ...trainingLines(card)];
}

/** Epochs whose losses are known. */
export const toldEpochs = ({ history }: Pick<FusedCard, 'history'>): FusedCard['history'] =>
  history.filter(({ trainLoss, validationLoss }) => Number.isFinite(trainLoss) && Number.isFinite(validationLoss));

function ensembleLines({ ensemble }: FusedCard): LabelledLine[] {
  if (!ensemble) return [];
  const { members, mixture } = ensemble;
  const weights = members.map(({ config }, m) => `${config.method} ${shownNumber(mixture.weights[m], 2)}`).join(', ');
  const text = `${members.length} models as one (${weights}), temperature ${shownNumber(mixture.temperature, 2)}`;
  return [['ensemble', `${text}; what follows is of the first`]];
}

function methodLines(card: FusedCard): LabelledLine[] {
  const { config, rule } = card;
  if (isVoteMethod(config.method)) return [['method', voteText(card, rule)]];
  const { method, hidden, ownerDropout } = config;
  const dropout: LabelledLine[] =
    ownerDropout > 0 ? [['dropout', `${percent(ownerDropout)} of owners in training`]] : [];
  if (method === 'transformer') return [['method', 'transformer: attention over owners'], ...dropout];
  if (method === 'concatenation') {
    return [['method', `concatenation of all embeddings, hidden width ${hidden}`], ...dropout];
  }
  if (method === 'boosting') return [['method', 'boosted trees on all embeddings side by side'], ...dropout];
  const isPooling = config.alignment === 'none' && config.graph === 'none';
  const skip = config.graph === 'none' ? '' : config.skip ? ', with skip' : ', without skip';
  return [
    ['method', `consensus${isPooling ? ' (mean pooling)' : ''}, hidden width ${hidden}${skip}`],
    ['alignment', alignmentText(config)],
    ['graph', graphText(config)],
    ...(config.activation === 'quadratic' ? [['activation', 'quadratic, ¼z² + ½z'] as LabelledLine] : []),
    ...(config.readout === 'layers' ? [['read-out', 'two layers on the mean over owners'] as LabelledLine] : []),
    ...dropout,
  ];
}

function alignmentText(config: FusedCard['config']): string {
  const { alignment, encoding, bins, ownerBias, sinkhorn, sweeps, entropyWeight } = config;
  if (alignment === 'none') return 'none';
  const bias = ownerBias ? ', and a bias' : '';
  if (encoding === 'quantiles') {
    const space = config.tables === 'common' ? ', into a common space' : '';
    return `soft: one free table of ${bins} quantile bins per number and owner${space}${bias}`;
  }
  if (alignment === 'soft') return `soft: one free matrix per owner${bias}`;
  const details = `${sinkhorn}, ${sweeps} Sinkhorn–Knopp sweeps, entropy weight ${entropyWeight}`;
  return `hard: nearly a permutation (${details})${bias}`;
}

function graphText(config: FusedCard['config']): string {
  const { graph, reference, temperature, graphsPer, predictionGraphs, neighbours, neighbourGraph } = config;
  if (graph === 'none' || graph === 'given') return graph;
  if (graph === 'knn') {
    const found = neighbourGraph === 'frozen' ? 'in the training part, then frozen' : 'anew for every batch';
    return `${neighbours} nearest neighbours, found ${found}`;
  }
  const relaxation = graph === 'icdf' ? `ICDF (${reference}, τ ${temperature})` : `Gumbel (τ ${temperature})`;
  return `learned by ${relaxation}, one graph per ${graphsPer}; ${predictionGraphs} averaged at prediction`;
}

function voteText({ config, classes, owners }: FusedCard, rule: FusedCard['rule']): string {
  if (config.method === 'majority') return 'majority: what most owners vote for';
  if (config.method === 'average') return "average of the owners' probabilities; scores are means over owners";
  if (config.method === 'threshold') {
    return `threshold: ${classes[1]} if more than ${percent(rule?.threshold ?? 0.5)} of the votes say so`;
  }
  const order = (rule?.order ?? []).map((slot) => owners[slot]?.owner);
  const next = order.length > 1 ? `, then ${order.slice(1, 4).join(', ')}${order.length > 4 ? ', …' : ''}` : '';
  return `best owner on validation that is present: ${order[0]}${next}`;
}

function dataLines({ owners, classes, samples, refitted, decision, calibration }: FusedCard): LabelledLine[] {
  const { train, validation, test } = samples;
  const all = train + validation + test;
  const positive = classes.length === 2 ? ` (positive: ${classes[1]})` : '';
  const seen = range(owners.map(({ joined }) => joined));
  return [
    ['owners', `${owners.length}, width ${range(owners.map(({ width }) => width))}, ${seen} samples each`],
    ...(refitted ? [['refitted', `owner ${refitted} alone, in a model made before`] satisfies LabelledLine] : []),
    ['samples', `${all}: train ${train}, validation ${validation}, test ${test}`],
    ['classes', `${classes.join(', ')}${positive}`],
    ...(calibration
      ? [['calibrated', `logits divided by ${shownNumber(calibration.temperature, 2)}`] satisfies LabelledLine]
      : []),
    ...(decision ? [['named', decisionText(classes, decision)] satisfies LabelledLine] : []),
  ];
}

/** Of two classes the rule is a threshold; of more it takes all probabilities together. */
function decisionText(classes: readonly string[], { costs }: DecisionRule): string {
  if (classes.length === 2) return `${classes[1]} where its probability is above ${costs[1].toFixed(3)}, best for F1`;
  return 'the class that is best for macro F1: a rare one needs less probability than a common one';
}

/** What the fits with and without codes came to, where both were tried. */
export function triedEncodings(encodings: NonNullable<FusedCard['encodings']>): string {
  const losses = encodings.map(({ encoding, validationLoss }) => {
    return `${shownNumber(validationLoss, 4)} ${encoding === 'none' ? 'without codes' : 'with codes'}`;
  });
  return `validation loss ${losses.join(', ')}`;
}

function trainingLines(card: FusedCard): LabelledLine[] {
  const { config, epochs, bestEpoch, seconds, learningRates, encodings, code, created, weights } = card;
  const tried = learningRates
    ?.map(({ rate, validationLoss }) => `${rate}: ${shownNumber(validationLoss, 4)}`)
    .join(', ');
  const trained: LabelledLine[] = [
    ['trained', `${epochs} epochs of at most ${config.epochs}, the best was ${bestEpoch}, ${seconds.toFixed(1)} s`],
    ['', trainingText(config)],
    ...(tried ? [['', `validation loss by learning rate: ${tried}`] satisfies LabelledLine] : []),
    ...(encodings ? [['', triedEncodings(encodings)] satisfies LabelledLine] : []),
  ];
  const made: LabelledLine = ['made', `${created.slice(0, 16).replace('T', ' ')} UTC by f3 ${code}`];
  return isVoteMethod(config.method) ? [made] : [...trained, made, ['weights', `sha256 ${weights}`]];
}

/** Only what was used: trees have neither batches nor weights, and most weights neither decay nor are averaged. */
function trainingText(config: FusedCard['config']) {
  const { method, optimizer, learningRate, schedule, weightDecay, averageWeights, batch, patience, seed } = config;
  const ends = [`patience ${patience}`, ...(drawsBySeed(config) ? [`seed ${seed}`] : [])];
  if (method === 'boosting') return [`learning rate ${learningRate}`, ...ends].join(', ');
  return [
    ...(optimizer === 'sgd' ? ['stochastic gradient descent'] : []),
    `learning rate ${learningRate}${schedule === 'cosine' ? ', rising and falling (cosine)' : ''}`,
    ...(weightDecay > 0 ? [`weight decay ${weightDecay}`] : []),
    ...(averageWeights > 0 ? [`weights averaged (${averageWeights})`] : []),
    `batch ${batch}`,
    ...ends,
  ].join(', ');
}

function range(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? String(low) : `${low} to ${high}`;
}

export const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;
