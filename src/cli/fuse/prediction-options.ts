// The options of all commands that predict: which owners are left out, and which graphs are used.
import { type Command, Option } from 'commander';
import type { PredictionGraphs } from '../../fuse/model/predict-logits.ts';
import { integerFrom } from '../option-values.ts';

export interface PredictionOptions {
  without?: string[];
  graphs: 'sampled' | 'mean';
  graphSamples?: number;
}

export function addPredictionOptions(command: Command): Command {
  return command
    .option('--without <owner...>', 'leave these owners out, as if they had sent nothing')
    .addOption(
      new Option('--graphs <kind>', 'average over sampled graphs, or one pass with the mean graph')
        .choices(['sampled', 'mean'])
        .default('sampled'),
    )
    .option('--graph-samples <S>', "how many graphs are sampled (default: the model's, 10)", integerFrom(1, 10_000));
}

/** Returns undefined for as many graphs as the model's config says. */
export function graphsOf({ graphs, graphSamples }: PredictionOptions): PredictionGraphs | undefined {
  return graphs === 'mean' ? 'mean' : graphSamples;
}
