// `f3 federation models`: lists the trained versions with their scores, or shows one of them on a page.
import { Command } from 'commander';
import type { ListedModel, ModelScores } from '../../exchange/messages.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';
import { modelPage } from './model-page.ts';
import { SCORE_NAMES } from './score-comparison.ts';

interface Options extends MemberOptions {
  verbose?: boolean;
  json?: boolean;
}

export function modelsCommand(): Command {
  const command = new Command('models')
    .description('list the trained models with their scores, or show one of them')
    .argument('<federation>')
    .argument('[version]', 'the one to show; --json prints its whole card', integerFrom(1));
  return addOperatorOptions(command)
    .option('--verbose', 'show all scores, and the training')
    .option('--json', 'print one line of JSON')
    .action(async (federation: string, version: number | undefined, options: Options) => {
      const client = await operatorClient(federation, options);
      if (version !== undefined) {
        const card = await client.model(federation, version);
        return printResult(card, modelPage(federation, card), options.json);
      }
      const models = await client.models(federation);
      const none = `federation ${federation} has no model yet; next: f3 federation train ${federation}`;
      const text = models.length > 0 ? tableLines(modelColumns(options.verbose), models).join('\n') : none;
      printResult({ models }, text, options.json);
    });
}

export const modelColumns = (verbose = false): TextColumn<ListedModel>[] => [
  { title: 'model', cell: ({ version }) => version },
  { title: 'state', cell: ({ state, active }) => state ?? (active ? 'active' : undefined) },
  { title: 'trained (UTC)', cell: ({ created }) => shownTime(created) },
  ...scoreColumns(verbose),
  ...(verbose ? [{ title: 'training', cell: ({ training }: ListedModel) => training }] : []),
];

/** The scores that decide on promotion, and how good the model is on the test part. */
function scoreColumns(verbose: boolean): TextColumn<ListedModel>[] {
  const score = (part: 'validation' | 'test', key: keyof ModelScores): TextColumn<ListedModel> => ({
    title: `${part === 'test' ? part : 'val.'} ${SCORE_NAMES[key]}`,
    cell: (model) => model[part]?.[key],
    digits: 3,
  });
  if (!verbose)
    return [score('validation', 'auc'), score('validation', 'loss'), score('test', 'auc'), score('test', 'accuracy')];
  const all = Object.keys(SCORE_NAMES) as (keyof ModelScores)[];
  return (['validation', 'test'] as const).flatMap((part) => all.map((key) => score(part, key)));
}
