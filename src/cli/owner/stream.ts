// `f3 owner stream`: embeds live windows with the frozen local model and posts each; prints the coordinator's answers.
import { Command, InvalidArgumentError } from 'commander';
import type { WindowShape } from '../../embed/local-model.ts';
import { LONGEST_DEADLINE_MS } from '../../exchange/messages.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
} from '../federation/member-client.ts';
import { integerFrom, numberFrom } from '../option-values.ts';
import { addNoiseOptions, type NoiseFlags } from './noise-options.ts';
import { addPseudonymOptions, type PseudonymFlags } from './pseudonym-options.ts';
import { addRecoveryOptions, type RecoveryFlags } from './recovery-gate.ts';
import type { StreamModelOptions } from './stream-embedder.ts';

export interface StreamOptions extends MemberOptions, StreamModelOptions, NoiseFlags, PseudonymFlags, RecoveryFlags {
  federation?: string;
  rate?: number;
  samples?: string[];
  quorum?: number;
  deadline?: number;
  charter?: string;
}

export function streamCommand(): Command {
  const command = new Command('stream')
    .description('embed live windows with the frozen model and send each embedding as it comes')
    .argument('<folder|->', "an owner's folder of a data set, as if it were live; -: JSON lines on stdin")
    .option('--model <folder>', "for -: the owner's folder with the trained model")
    .option('--onnx <file>', 'use a model trained elsewhere instead of the one f3 trained')
    .option('--embedding <name>', "the ONNX model's output that is the embedding (default: embedding)")
    .option(
      '--window <steps>x<variates>',
      "for - with --onnx: a window's shape, where the model leaves it open",
      windowShape,
    )
    .option('--rate <n>', 'windows per second (default: as fast as answers come)', numberFrom(0.001, 1e6))
    .option('--samples <id...>', 'send these only, in this order')
    .option('--quorum <n>', 'owners that suffice for an answer (default: all)', integerFrom(1))
    .option('--deadline <ms>', 'answer with whoever is there after this time', integerFrom(1, LONGEST_DEADLINE_MS))
    .option('--share', 'in a federation on shares: entity j gets share j, and nobody gets embeddings')
    .option(
      '--charter <fingerprint>',
      'with --share, the first time: the charter, as the operator of an entity told you',
    )
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  addRecoveryOptions(addNoiseOptions(addPseudonymOptions(command)));
  return addMemberOptions(command)
    .addHelpText(
      'after',
      `
Only sample ids and embeddings are sent. Answers come as JSON lines, in the order in which they are ready: {sample, class,
probabilities, …} with the owners that were present, or {sample, error: {code, message}} for a sample that was refused.
A line on stdin is {"sample": "id", "window": [numbers]}, time step by time step, the variates of a step together. Any other
line is refused like a sample; its sample is null if it names none. The stream goes on
after a refusal, and ends with an exit code other than 0.

Examples:
  f3 owner stream data/grid/owners/plant-7 --rate 10
  f3 owner stream data/grid/owners/plant-7 --share
  sensor | f3 owner stream - --model data/grid/owners/plant-7 --deadline 500
  sensor | f3 owner stream - --onnx model.onnx --embedding hidden`,
    )
    .action(async (source: string, options: StreamOptions) =>
      (await import('./stream-run.ts')).runStream(source, options),
    );
}

/** 12x2 */
function windowShape(text: string): WindowShape {
  const [, steps, variates] = /^([1-9]\d{0,6})x([1-9]\d{0,6})$/.exec(text) ?? [];
  if (steps === undefined) throw new InvalidArgumentError('It must be steps x variates, such as 12x2.');
  return { length: Number(steps), variates: Number(variates) };
}
