// `f3 owner train`: trains the local model of one owner, or those of all owners of a data set side by side.
import { Command, Option } from 'commander';
import { peakMemory } from '../../base/peak-memory.ts';
import { LOCAL_MODEL_KINDS, type LocalModelKind } from '../../embed/local-model.ts';
import type { ModelCard, OwnerTrainingOptions } from '../../embed/owner-model.ts';
import { type OwnerPreset, ownerPresets, paperOwnerPreset } from '../../embed/owner-preset.ts';
import { ownerCandidates, ownerSearchSpace } from '../../embed/owner-search.ts';
import { MOST_LEVELS } from '../../embed/rounded-answers.ts';
import { SHIELD_KINDS, type ShieldKind } from '../../embed/shield.ts';
import { BEST_BY, type BestBy } from '../../embed/train-local-model.ts';
import { TRAINING_OBJECTIVES, type TrainingObjective } from '../../embed/training-objective.ts';
import { F3Error } from '../../errors.ts';
import { integerFrom, numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { Progress, withProgress } from '../terminal/progress.ts';
import { type OwnerChoice, ownerFolders } from './owner-folders.ts';
import { searchLines, searchRows } from './search-table.ts';

interface Options extends OwnerChoice {
  model?: LocalModelKind;
  width?: number;
  preset: OwnerPreset | 'auto';
  bottleneck?: number;
  shield?: number;
  answers?: number;
  maxRecovery?: number;
  shieldKind?: ShieldKind;
  objective?: TrainingObjective;
  reconstructionWeight?: number;
  tryReconstruction?: boolean;
  budget?: number;
  normalise?: 'none' | 'z-score';
  tiedHead?: number | true;
  common?: boolean;
  learningRate: number;
  batch: number;
  epochs?: number;
  patience: number;
  bestBy?: BestBy;
  seed: number;
  threads?: number;
  force?: boolean;
  json?: boolean;
}

const preset = paperOwnerPreset;
/** The default as the help shows it. It is not set, because an option that was not given must not change the preset. */
const byPreset = (choice: (options: OwnerTrainingOptions) => string) =>
  `(default: ${choice(ownerPresets.recommended)}; with --preset paper: ${choice(ownerPresets.paper)})`;

export function trainCommand(): Command {
  return new Command('train')
    .description("train local models, each from its owner's folder and nothing else")
    .argument('<dir>', 'data set')
    .option('--owner <id...>', 'train these owners')
    .option('--all', 'train every owner, one per core at a time')
    .addOption(
      new Option(
        '--preset <name>',
        "what we advise, a GRU with z-scored inputs; the paper's choices (docs/results); private: it gives less away (docs/privacy.md); auto: what does best on the owner's validation part",
      )
        .choices([...Object.keys(ownerPresets), 'auto'])
        .default('recommended'),
    )
    .addOption(
      new Option('--model <kind>', `architecture ${byPreset(({ model }) => model)}`).choices(LOCAL_MODEL_KINDS),
    )
    .option('--width <d>', `numbers in an embedding ${byPreset(({ width }) => String(width))}`, integerFrom(1, 1024))
    .option(
      '--bottleneck <d>',
      'a last layer of d numbers from -1 to 1, which are the embedding then; it gives less away (default: none)',
      integerFrom(1, 1024),
    )
    .option(
      '--answers <levels>',
      "send the local model's answer instead of an embedding: log odds, rounded to so many levels (default: embeddings)",
      integerFrom(2, MOST_LEVELS),
    )
    .option(
      '--max-recovery <share>',
      'with --answers: merge levels until at most this share of the readings is recovered from an answer (default: none are merged)',
      numberFrom(0, 1),
    )
    .option(
      '--shield <weight>',
      'train against windows being told from embeddings, with this weight beside the label (default: 0, not at all)',
      numberFrom(0),
    )
    .addOption(
      new Option('--shield-kind <how>', `what --shield trains against (default: ${SHIELD_KINDS[0]})`).choices(
        SHIELD_KINDS,
      ),
    )
    .addOption(
      new Option(
        '--objective <what>',
        'what the model learns: the label, or also to let the window be read back from its embedding, which gives more away (default: label)',
      ).choices(TRAINING_OBJECTIVES),
    )
    .option(
      '--reconstruction-weight <w>',
      'weight of the squared error of windows read back beside the cross-entropy of labels (default: 1)',
      numberFrom(0),
    )
    .option('--try-reconstruction', 'with --preset auto: try label+reconstruction too')
    .option('--budget <n>', 'with --preset auto: most combinations that an owner tries', integerFrom(1))
    .addOption(
      new Option(
        '--normalise <how>',
        `inputs as they are, or z-scored on the own training windows ${byPreset(({ normalisation }) => normalisation)}`,
      ).choices(['none', 'z-score']),
    )
    .option(
      '--tied-head [seed]',
      'one fixed head for all owners instead of a trained one (row J of Table 2)',
      integerFrom(0),
    )
    .option('--common', 'one model for all owners, trained over their data in turn (row A of Table 2, a baseline)')
    .option('--learning-rate <rate>', 'learning rate of Adam', numberFrom(0), preset.learningRate)
    .option('--batch <n>', 'windows per step', integerFrom(1), preset.batch)
    .option('--epochs <n>', `largest number of epochs ${byPreset(({ epochs }) => String(epochs))}`, integerFrom(1))
    .option('--patience <n>', 'epochs to go on without reaching the best one', integerFrom(0), preset.patience)
    .addOption(
      new Option(
        '--best-by <what>',
        `what on the validation part makes an epoch the best ${byPreset(({ bestBy = BEST_BY[0] }) => bestBy)}`,
      ).choices(BEST_BY),
    )
    .option('--seed <n>', 'seed of weights and shuffles', integerFrom(0), preset.seed)
    .option('--threads <n>', 'owners trained at once (default: F3_THREADS, else all cores)', integerFrom(1, 256))
    .option('--force', 'train again what is already trained')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The defaults are what we advise: a GRU with 16 units, z-scored inputs, Adam, trained while the validation loss falls; --preset paper
is the paper's LSTM on raw inputs, whose best epoch is that of the highest accuracy. --preset auto trains each owner with every combination of architecture (${ownerSearchSpace.models.join(', ')}) and width
(${ownerSearchSpace.widths.join(', ')}), the one we advise first, and keeps the lowest cross-entropy on the owner's own validation part, if it is lower
than the first one's by more than a standard error. It knows how well an owner predicts alone, not what a federation gains
from its embeddings; --model and --width narrow the search, and the card lists what was tried.

With --objective label+reconstruction a linear decoder learns to read the window back from the embedding and is thrown away
after training. Whoever has embeddings and a few of your windows can fit such a decoder again, so they give more of your
readings away (docs/threat-model.md). The card and the bundle say which objective was used.

--answers, --bottleneck and --shield do the opposite (docs/privacy.md): the model's answer leaves in a few levels and no embedding; few
numbers leave; training works against whoever would read windows back from them. All cost accuracy; f3 owner audit says what they hide. The card and the bundle state them.
With --shield a model first learns the label alone, then goes on under the shield from there, and --epochs and --patience count anew.

Weights (model.safetensors) and a card (model.json) go to the owner's folder. Owners that are already trained with
the same options on the same data are kept, so an interrupted run goes on where it stopped. Results depend on the seed,
the options and the owner's data, nothing else.

Examples:
  f3 owner train data/metr-la --owner 773869
  f3 owner train data/metr-la --all
  f3 owner train data/metr-la --all --preset paper      # the paper's LSTM on raw inputs
  f3 owner train data/metr-la --all --model dense --normalise z-score
  f3 owner train data/metr-la --owner 773869 --preset auto
  f3 owner train data/metr-la --all --preset private
  f3 owner train data/metr-la --all --bottleneck 2 --shield 0.3`,
    )
    .action(runTrain);
}

async function runTrain(dir: string, options: Options): Promise<void> {
  checkSearch(options);
  const folders = ownerFolders(dir, options.common ? { all: true } : options);
  const start = performance.now();
  const cards = options.common ? await trainCommon(folders, options) : await trainApart(folders, options);
  const seconds = (performance.now() - start) / 1000;
  const summary = { ...summarise(cards), seconds, peakMb: peakMemory() / 2 ** 20 };
  printResult(summary, summaryText(summary), options.json);
}

async function trainApart(folders: string[], options: Options): Promise<ModelCard[]> {
  const { trainAllOwners } = await import('../../embed/train-all-owners.ts');
  return withProgress((progress) =>
    trainAllOwners(folders, {
      options: trainingOptions(options),
      candidates: candidatesOf(options),
      force: options.force ?? false,
      threads: options.threads,
      onProgress: ({ done, owners }) => progress('training owners', done, owners),
    }),
  );
}

async function trainCommon(folders: string[], options: Options): Promise<ModelCard[]> {
  const { Engine } = await import('../../core/engine/engine.ts');
  const { trainCommonModel } = await import('../../embed/train-owner.ts');
  const progress = new Progress();
  const engine = new Engine({ threads: options.threads });
  try {
    const training = trainingOptions(options);
    const most = training.shield ? 2 * training.epochs : training.epochs;
    const onEpoch = (epoch: number) => progress.update('training one model', epoch, most);
    return await trainCommonModel(engine, folders, training, { onEpoch });
  } finally {
    progress.stop();
    await engine.dispose();
  }
}

/** Seed of the tied head if the flag gives none. */
const DEFAULT_TIED_HEAD = 0;

function trainingOptions(options: Options): OwnerTrainingOptions {
  const { learningRate, batch, patience, seed, objective, reconstructionWeight } = options;
  const chosen = ownerPresets[options.preset === 'auto' ? 'recommended' : options.preset];
  const { epochs = chosen.epochs, bestBy = chosen.bestBy } = options;
  const { model = chosen.model, width = chosen.width, normalise: normalisation = chosen.normalisation } = options;
  const tiedHead = options.tiedHead === true ? DEFAULT_TIED_HEAD : options.tiedHead;
  const reconstruction = objective === 'label+reconstruction' ? { objective } : {};
  const rest = { normalisation, learningRate, batch, epochs, patience, seed, tiedHead, reconstructionWeight };
  return { model, width, ...rest, ...(bestBy && { bestBy }), ...reconstruction, ...privacyOptions(options, chosen) };
}

/** What is left out of the options stays as the preset has it. */
function privacyOptions(
  { bottleneck, shield, shieldKind, answers, maxRecovery }: Options,
  chosen: OwnerTrainingOptions,
) {
  const narrow = bottleneck ?? chosen.bottleneck;
  const levels = answers ?? chosen.answers;
  const most = maxRecovery ?? (levels === undefined ? undefined : chosen.maxRecovery);
  const weight = shield ?? chosen.shield?.weight ?? 0;
  const kind = shieldKind ?? chosen.shield?.kind ?? SHIELD_KINDS[0];
  return {
    ...(narrow !== undefined && { bottleneck: narrow }),
    ...(weight > 0 && { shield: { kind, weight } }),
    ...(levels !== undefined && { answers: levels }),
    ...(most !== undefined && { maxRecovery: most }),
  };
}

/** What each owner chooses from; undefined unless the preset is `auto`. */
function candidatesOf({ preset, model, width, objective, tryReconstruction, budget }: Options) {
  if (preset !== 'auto') return undefined;
  return ownerCandidates({
    models: model === undefined ? undefined : [model],
    widths: width === undefined ? undefined : [width],
    objectives: tryReconstruction ? TRAINING_OBJECTIVES : objective && [objective],
    budget,
  });
}

function checkSearch(options: Options): void {
  const { preset, common, objective, tryReconstruction, budget, bottleneck, shield, shieldKind } = options;
  const refuse = (flag: string, rule: string) => {
    throw new F3Error('F3_OPTION', `${flag}: ${rule}`);
  };
  if (preset !== 'auto' && tryReconstruction) refuse('--try-reconstruction', 'must go with --preset auto');
  if (preset !== 'auto' && budget !== undefined) refuse('--budget', 'must go with --preset auto');
  if (preset === 'auto' && common) refuse('--common', 'must not go with --preset auto: each owner chooses for itself');
  // A narrow or shielded embedding gives more away than the answers that were asked for, and has no limit of what is recovered.
  if (preset !== 'auto' && ownerPresets[preset].answers !== undefined && (bottleneck !== undefined || shield)) {
    const rule = `must not go with --preset ${preset}, by which answers leave and no embedding`;
    refuse(bottleneck === undefined ? '--shield' : '--bottleneck', `${rule}; without the preset an embedding leaves`);
  }
  if (shieldKind && !shield && !(preset !== 'auto' && ownerPresets[preset].shield)) {
    refuse('--shield-kind', 'must go with --shield');
  }
  if (objective && tryReconstruction) refuse('--objective', 'must not go with --try-reconstruction, which tries both');
}

function summarise(cards: ModelCard[]) {
  const best = cards.reduce((a, b) => (b.scores.validationAccuracy > a.scores.validationAccuracy ? b : a));
  return {
    owners: cards.length,
    epochs: cards.reduce((sum, card) => sum + card.epochs, 0),
    medianValidationAccuracy: middleOf(cards.map((card) => card.scores.validationAccuracy)),
    medianTestAccuracy: middleOf(cards.map((card) => card.scores.testAccuracy)),
    best: { owner: best.owner, ...best.scores },
    ...(cards.some(({ search }) => search) && { search: searchRows(cards) }),
    ...levelsOf(cards),
    ...shieldOf(cards),
  };
}

/** Medians of what shields hid and cost, where there are any. */
function shieldOf(cards: ModelCard[]) {
  const shielded = cards.flatMap(({ beforeShield, scores }) => (beforeShield ? [{ beforeShield, scores }] : []));
  if (shielded.length === 0) return {};
  const median = (of: (one: (typeof shielded)[number]) => number) => middleOf(shielded.map(of));
  return {
    shield: {
      left: median(({ scores }) => scores.left ?? 0),
      validationAccuracy: median(({ scores }) => scores.validationAccuracy),
      before: {
        left: median(({ beforeShield }) => beforeShield.left),
        validationAccuracy: median(({ beforeShield }) => beforeShield.validationAccuracy),
      },
    },
  };
}

const middleOf = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];

function shieldText({ left, validationAccuracy, before }: NonNullable<ReturnType<typeof shieldOf>['shield']>): string {
  const told = `squared distance correlation of windows and embeddings ${before.left.toFixed(3)} → ${left.toFixed(3)}`;
  const named = `validation accuracy ${percent(before.validationAccuracy)} → ${percent(validationAccuracy)}`;
  return `shield: ${told}, ${named} (medians, without it and under it); f3 owner audit says what is hidden`;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Levels in which answers leave, where they do. */
function levelsOf(cards: ModelCard[]) {
  const levels = cards.flatMap(({ answers }) => answers?.levels ?? []).sort((a, b) => a - b);
  if (levels.length === 0) return {};
  return { levels: { fewest: levels[0], median: levels[levels.length >> 1], most: levels[levels.length - 1] } };
}

function levelsText({ fewest, median, most }: { fewest: number; median: number; most: number }): string {
  const range = fewest === most ? `${most}` : `${fewest} to ${most}, median ${median}`;
  const silent = fewest === 1 ? '; one level says nothing: those owners have no answer that tells so little' : '';
  return `levels of answers: ${range}${silent}`;
}

function summaryText(summary: ReturnType<typeof summarise> & { seconds: number; peakMb: number }): string {
  const { owners, epochs, medianTestAccuracy, best, search, levels, shield, seconds, peakMb } = summary;
  return [
    ...(search ? [...searchLines(search), ''] : []),
    `${owners} ${owners === 1 ? 'owner' : 'owners'} trained, ${epochs} epochs, ${seconds.toFixed(1)} s, peak memory ${peakMb.toFixed(0)} MB`,
    `test accuracy: median ${percent(medianTestAccuracy)}; owner ${best.owner}, best on validation, ${percent(best.testAccuracy)}`,
    ...(levels ? [levelsText(levels)] : []),
    ...(shield ? [shieldText(shield)] : []),
  ].join('\n');
}
