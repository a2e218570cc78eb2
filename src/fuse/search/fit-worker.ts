// [coordinator] A worker thread that makes one fit after another, each with an engine of one thread.
import { answerQuestions, sendReport } from '../../base/worker-thread.ts';
import { Engine } from '../../core/engine/engine.ts';
import { errorCode } from '../../errors.ts';
import { type Checkpoints, fuseOwners } from '../fuse-owners.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { encodeFusedModel } from '../model/fused-card.ts';
import { disposeFusedModel } from '../model/fused-model.ts';
import { CheckpointFolder } from '../training/checkpoint-folder.ts';
import type { EpochReport, TrainingProgress } from '../training/training-state.ts';
import { encodeFit, type FitRecord } from './fit-record.ts';
import { isHopeless } from './give-up.ts';
import { receiveInput, type SentInput } from './search-input.ts';
import { predictSituations } from './situations.ts';

export type FitQuestion =
  | { kind: 'begin'; input: SentInput; about: string }
  | { kind: 'fit'; config: FusionConfig; checkpoint: string | undefined; bar: number | undefined };

/** A record of the fit, encoded. */
export type FitAnswer = Uint8Array<ArrayBuffer> | undefined;

/** Faults of a config on this data, not of the search: the others go on. */
const FAILURES = ['F3_FUSE_DIVERGED', 'F3_OUT_OF_MEMORY'];

/** A fit that is lost costs little, and several write at once. */
const CHECKPOINT_SECONDS = 15;

const engine = new Engine({ threads: 1 });
let begun: { input: FusionInput; about: string } | undefined;

answerQuestions<FitQuestion, FitAnswer>(async (question) => {
  if (question.kind === 'begin') {
    begun = { input: receiveInput(engine, question.input), about: question.about };
    return undefined;
  }
  if (!begun) throw new Error('fit: an input must come first, got none');
  const { input, about } = begun;
  const { config, checkpoint, bar } = question;
  const checkpoints =
    checkpoint === undefined
      ? undefined
      : new CheckpointFolder(checkpoint, { about, resume: true, seconds: CHECKPOINT_SECONDS });
  const record = await makeFit(input, config, checkpoints, bar);
  checkpoints?.clear();
  return encodeFit(record, about);
});

async function makeFit(
  input: FusionInput,
  config: FusionConfig,
  checkpoints: Checkpoints | undefined,
  bar: number | undefined,
): Promise<FitRecord> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    const onEpoch = (report: EpochReport) => sendReport(report);
    const giveUp = bar === undefined ? undefined : (progress: TrainingProgress) => isHopeless(progress, bar);
    const model = await fuseOwners(engine, input, config, { checkpoints, onEpoch, giveUp });
    const validation = predictSituations(engine, model, input);
    const encoded = encodeFusedModel(model);
    disposeFusedModel(model);
    return { kind: 'done', config, model: encoded, validation, seconds: seconds() };
  } catch (error) {
    if (!FAILURES.includes(errorCode(error) ?? '')) throw error;
    return { kind: 'failed', config, reason: (error as Error).message, seconds: seconds() };
  }
}
