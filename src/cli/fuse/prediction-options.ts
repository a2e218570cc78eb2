// Options that every command with predictions has: who is left out, and which graphs are used.
import { type Command, Option } from 'commander';
import { F3Error } from '../../errors.ts';
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

/** Undefined: as many as the model's config says. */
export function graphsOf({ graphs, graphSamples }: PredictionOptions): PredictionGraphs | undefined {
  return graphs === 'mean' ? 'mean' : graphSamples;
}

export function checkKnown(named: readonly string[], owners: readonly { owner: string }[], model: string): void {
  for (const id of named) {
    if (owners.some(({ owner }) => owner === id)) continue;
    throw new F3Error('F3_FUSE_OWNER', `--without: must name owners of model ${model}, got ${id}`);
  }
}
