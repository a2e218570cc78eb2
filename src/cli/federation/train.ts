// `f3 federation train`: starts a training on the coordinator and follows it.
import { Command, Option } from 'commander';
import { PROMOTION_RULES, type PromotionRule } from '../../exchange/messages.ts';
import { addFusionOptions, type FusionOptions } from '../fuse/fusion-options.ts';
import { addSearchOptions, type SearchCommandOptions } from '../fuse/search-options.ts';
import { integerFrom } from '../option-values.ts';
import { addOperatorOptions, type MemberOptions } from './member-client.ts';

export interface FederationTrainOptions extends FusionOptions, SearchCommandOptions, MemberOptions {
  fits?: number;
  split?: string;
  without?: string[];
  refit?: string;
  model?: number;
  promote?: PromotionRule;
  detach?: boolean;
  follow?: string;
  cancel?: string;
  json?: boolean;
}

export function trainCommand(): Command {
  const command = new Command('train')
    .description('learn on the coordinator how its owners fit together; owners may be offline')
    .argument('<federation>')
    .option('--split <file|seed>', 'JSON or CSV: sample,split; a number: random 70/10/20 (default: the coordinator’s)')
    .option('--without <owner...>', 'leave these owners out, as if they had sent nothing')
    .option('--refit <owner>', "learn only this owner's alignment anew, after it sent a bundle of a retrained model")
    .option('--model <version>', 'the model to refit (default: the active one)', integerFrom(1))
    .addOption(
      new Option(
        '--promote <rule>',
        'whether the new model answers from then on (default: if-better than the active one)',
      ).choices(PROMOTION_RULES),
    )
    .option('--detach', 'do not wait for the end')
    .option(
      '--follow <id>',
      'instead: watch a training that was started before (its id, or how it begins, as in f3 federation status)',
    )
    .option('--cancel <id>', 'instead: end a training (its id, or how it begins)');
  return addOperatorOptions(addSearchOptions(addFusionOptions(command, { votes: false, search: true })))
    .option('--fits <n>', 'train n models that differ by their seed and serve them as one', integerFrom(1, 50))
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The options are those of f3 fuse, but for methods made of votes (rows A to D). Bundles and labels are the newest that the
coordinator has. Ctrl-C stops watching, not the training. 
The model becomes a new version and a candidate. It answers by itself if it is the first, or if it is better than the active one:
a lower loss on the same validation samples, and a ROC AUC that is no lower. --promote never leaves that to
f3 federation promote, --promote always does not ask. f3 federation models lists all versions.

Who knows that some owners will stay away does better to learn --without them. Models are compared with everybody present, which favours
the one that knows all of them: --promote always makes the other one answer.

A refit is split as the model was; --split may be left out, and no other is taken.

--preset auto searches on the coordinator, as f3 fuse --preset auto does here; --fits makes an ensemble. A worker that is killed repeats no
fit that was finished.

Examples:
  f3 federation train grid --split 1 --owner-dropout 0.2
  f3 federation train grid --preset auto --budget-fits 20
  f3 federation train grid --without plant-3 plant-7 --promote always
  f3 federation train grid --row E --detach
  f3 federation train grid --refit plant-7 --epochs 50
  f3 federation train grid --follow 3f0ab1c2`,
    )
    .action(async (federation: string, options: FederationTrainOptions) =>
      (await import('./train-run.ts')).runTrain(federation, options),
    );
}
