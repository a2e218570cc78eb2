// [coordinator] The thread behind `OverlapThread`: reads ids of bundles and labels, then counts.
import { workInBackground } from '../../base/work-in-background.ts';
import { answerQuestions } from '../../base/worker-thread.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { decodeLabels } from '../../exchange/labels/labels.ts';
import type { Overlap } from '../../exchange/messages/overlap.ts';
import { SampleOverlap } from './sample-overlap.ts';

export type OverlapQuestion =
  | { kind: 'labels'; bytes: Uint8Array<ArrayBuffer>; name: string }
  | { kind: 'bundle'; bytes: Uint8Array<ArrayBuffer>; owner: string }
  | { kind: 'count' };

const overlap = new SampleOverlap();

workInBackground();
answerQuestions<OverlapQuestion, Overlap | undefined>(async (question) => {
  if (question.kind === 'count') return overlap.count();
  if (question.kind === 'labels') overlap.setLabelled(decodeLabels(question.bytes, question.name).samples);
  else overlap.add(question.owner, decodeBundle(question.bytes, `bundle ${question.owner}`).samples);
  return undefined;
});
