// [coordinator] The thread behind `RequestThread`: parses and checks large bodies, and finds the splits of refits.
import type { Transferable } from 'node:worker_threads';
import { workInBackground } from '../../base/work-in-background.ts';
import { answerQuestions } from '../../base/worker-thread.ts';
import { flattenArrow, flattenJson } from '../prediction/flat-batch.ts';
import { readLongInference } from '../prediction/inference-request.ts';
import { answerRefitSplit } from '../training/answer-refit-split.ts';
import type { RefitSplitQuestion } from '../training/refit-split.ts';
import { readLongTraining } from '../training/training-request.ts';
import { parseJson } from './parse-json.ts';
import { requireModest } from './require-modest.ts';

/** How a large body is read. What comes of it is small, or made of few parts, because the thread that serves requests takes it over. */
const READERS = {
  json: (bytes: Buffer) => requireModest(parseJson(bytes)),
  training: (bytes: Buffer) => readLongTraining(parseJson(bytes)),
  prediction: (bytes: Buffer) => flattenJson(parseJson(bytes)),
  predictionTable: (bytes: Buffer) => flattenArrow(bytes),
  inference: (bytes: Buffer) => readLongInference(parseJson(bytes)),
};
export type BodyReader = keyof typeof READERS;

export type RequestQuestion =
  | { kind: 'body'; reader: BodyReader; bytes: Uint8Array }
  | ({ kind: 'refit' } & RefitSplitQuestion);

workInBackground();
answerQuestions<RequestQuestion, unknown>(async (question) => {
  if (question.kind === 'refit') return answerRefitSplit(question);
  const { reader, bytes } = question;
  return READERS[reader](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}, numbersOf);

/** Lists of numbers are handed over. Each has memory of its own. */
function numbersOf(answer: unknown): Transferable[] {
  const { values, inputs = [] } = (answer ?? {}) as { values?: unknown; inputs?: { data?: unknown }[] };
  const lists = [values, ...inputs.map(({ data }) => data)];
  return lists.flatMap((list) => (list instanceof Float32Array ? [list.buffer as ArrayBuffer] : []));
}
