// [owner] The thread behind `OprfThreads`: blinds ids, evaluates blinded ones, unblinds answers. Each takes milliseconds per id.
import { answerQuestions } from '../../base/worker-thread.ts';
import {
  type BlindedIds,
  blindIds,
  type EvaluatedIds,
  evaluateBlinded,
  oprfInput,
  type PseudonymKey,
  unblindIds,
} from './oprf.ts';

export type OprfQuestion =
  | { work: 'blind'; federation: string; ids: readonly string[] }
  | { work: 'evaluate'; key: PseudonymKey; blinded: Uint8Array[] }
  | {
      work: 'unblind';
      federation: string;
      ids: readonly string[];
      blinded: BlindedIds;
      answer: EvaluatedIds;
      publicKey: string;
    };

export type OprfAnswer = BlindedIds | EvaluatedIds | string[];

answerQuestions<OprfQuestion, OprfAnswer>(async (question) => {
  if (question.work === 'evaluate') return evaluateBlinded(question.key, question.blinded);
  const inputs = question.ids.map((id) => oprfInput(question.federation, id));
  if (question.work === 'blind') return blindIds(inputs);
  return unblindIds(inputs, question.blinded, question.answer, question.publicKey);
});
