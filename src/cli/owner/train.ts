// `f3 owner train`: trains the local model of one owner, or those of all owners of a data set side by side.
import { Command, Option } from 'commander';
import type { LocalModelKind } from '../../embed/local-model.ts';
import type { ModelCard, OwnerTrainingOptions } from '../../embed/owner-model.ts';
import { type OwnerPreset, ownerPresets, paperOwnerPreset } from '../../embed/owner-preset.ts';
import { integerFrom, numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { Progress, withProgress } from '../terminal/progress.ts';
import { type OwnerChoice, ownerFolders } from './owner-folders.ts';

interface Options extends OwnerChoice {
  model?: LocalModelKind;
  width: number;
  preset: OwnerPreset;
  normalise?: 'none' | 'z-score';
  tiedHead?: number | true;
  common?: boolean;
  learningRate: number;
  batch: number;
  epochs: number;
  patience: number;
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
      new Option('--preset <name>', "what we advise, a GRU with z-scored inputs, or the paper's choices (docs/results)")
        .choices(Object.keys(ownerPresets))
        .default('recommended'),
    )
    .addOption(
      new Option('--model <kind>', `architecture ${byPreset(({ model }) => model)}`).choices(['lstm', 'gru', 'dense']),
    )
    .option('--width <d>', 'numbers in an embedding', integerFrom(1, 1024), preset.width)
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
    .option('--epochs <n>', 'largest number of epochs', integerFrom(1), preset.epochs)
    .option(
      '--patience <n>',
      'epochs to go on without reaching the best validation accuracy',
      integerFrom(0),
      preset.patience,
    )
    .option('--seed <n>', 'seed of weights and shuffles', integerFrom(0), preset.seed)
    .option('--threads <n>', 'owners trained at once (default: F3_THREADS, else all cores)', integerFrom(1, 256))
    .option('--force', 'train again what is already trained')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The defaults are what we advise: a GRU with 16 units, z-scored inputs, Adam; --preset paper is the paper's LSTM on raw
inputs. Weights (model.safetensors) and a card (model.json) go to the owner's folder. Owners that are already trained with
the same options on the same data are kept, so an interrupted run goes on where it stopped. Results depend on the seed,
the options and the owner's data, nothing else.

Examples:
  f3 owner train data/metr-la --owner 773869
  f3 owner train data/metr-la --all
  f3 owner train data/metr-la --all --preset paper      # the paper's LSTM on raw inputs
  f3 owner train data/metr-la --all --model dense --normalise z-score`,
    )
    .action(runTrain);
}

async function runTrain(dir: string, options: Options): Promise<void> {
  const folders = ownerFolders(dir, options.common ? { all: true } : options);
  const start = performance.now();
  const cards = options.common ? await trainCommon(folders, options) : await trainApart(folders, options);
  const seconds = (performance.now() - start) / 1000;
  const summary = { ...summarise(cards), seconds, peakMb: process.resourceUsage().maxRSS / 1024 };
  printResult(summary, summaryText(summary), options.json);
}

async function trainApart(folders: string[], options: Options): Promise<ModelCard[]> {
  const { trainAllOwners } = await import('../../embed/train-all-owners.ts');
  return withProgress((progress) =>
    trainAllOwners(folders, {
      options: trainingOptions(options),
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
    const onEpoch = (epoch: number) => progress.update('training one model', epoch, options.epochs);
    return await trainCommonModel(engine, folders, trainingOptions(options), { onEpoch });
  } finally {
    progress.stop();
    await engine.dispose();
  }
}

/** Seed of the tied head if the flag gives none. */
const DEFAULT_TIED_HEAD = 0;

function trainingOptions(options: Options): OwnerTrainingOptions {
  const { width, learningRate, batch, epochs, patience, seed } = options;
  const chosen = ownerPresets[options.preset];
  const { model = chosen.model, normalise: normalisation = chosen.normalisation } = options;
  const tiedHead = options.tiedHead === true ? DEFAULT_TIED_HEAD : options.tiedHead;
  return { model, width, normalisation, learningRate, batch, epochs, patience, seed, tiedHead };
}

function summarise(cards: ModelCard[]) {
  const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];
  const best = cards.reduce((a, b) => (b.scores.validationAccuracy > a.scores.validationAccuracy ? b : a));
  return {
    owners: cards.length,
    epochs: cards.reduce((sum, card) => sum + card.epochs, 0),
    medianValidationAccuracy: median(cards.map((card) => card.scores.validationAccuracy)),
    medianTestAccuracy: median(cards.map((card) => card.scores.testAccuracy)),
    best: { owner: best.owner, ...best.scores },
  };
}

function summaryText(summary: ReturnType<typeof summarise> & { seconds: number; peakMb: number }): string {
  const { owners, epochs, medianTestAccuracy, best, seconds, peakMb } = summary;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    `${owners} ${owners === 1 ? 'owner' : 'owners'} trained, ${epochs} epochs, ${seconds.toFixed(1)} s, peak memory ${peakMb.toFixed(0)} MB`,
    `test accuracy: median ${percent(medianTestAccuracy)}; owner ${best.owner}, best on validation, ${percent(best.testAccuracy)}`,
  ].join('\n');
}
