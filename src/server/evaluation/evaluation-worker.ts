// [coordinator] The thread behind `EvaluationThread`: one stored model with its validation part, ready for questions.
import { workInBackground } from '../../base/work-in-background.ts';
import { answerQuestions } from '../../base/worker-thread.ts';
import { Engine } from '../../core/engine/engine.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { BundleJoin } from '../../fuse/join/bundle-join.ts';
import { seenSamples } from '../../fuse/join/place-split.ts';
import { type FusedCard, restoreFusedModel } from '../../fuse/model/fused-card.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { modelParts } from '../../fuse/model/inspect-model.ts';
import { alignmentOf } from '../../fuse/model/owner-alignment.ts';
import { withoutOwners } from '../../infer/absent-owners.ts';
import { type AbsenceEffect, type PartEvaluation, ScoredPart } from '../../infer/scored-part.ts';
import { choosePart } from './choose-part.ts';
import type { ChosenPart, EvaluatedData } from './evaluation-data.ts';

export type EvaluationQuestion =
  | { kind: 'open'; card: FusedCard; weights: Uint8Array<ArrayBuffer>; name: string }
  | ({ kind: 'part' } & EvaluatedData)
  | { kind: 'bundle'; owner: string; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'ready' }
  | { kind: 'evaluate' }
  | { kind: 'without'; absent: readonly number[]; most: number }
  | { kind: 'alignment'; owner: number };

/** P_i of one owner; without values where embeddings are taken as they come. */
export interface StoredAlignment {
  kind: 'soft' | 'hard' | 'none';
  rows: number;
  columns: number;
  values: Float32Array;
}

export type EvaluationAnswer = ChosenPart | PartEvaluation | AbsenceEffect | StoredAlignment | undefined;

interface OpenPart {
  join: BundleJoin;
  labels: Map<string, number>;
  of: number;
  isWhole: boolean;
}

// One thread is enough: a question takes less than a second, and predictions of requests need the other cores.
const engine = new Engine({ threads: 1 });
let model: FusedModel | undefined;
let opened: OpenPart | undefined;
let part: ScoredPart | undefined;

workInBackground();
answerQuestions<EvaluationQuestion, EvaluationAnswer>(async (question) => {
  switch (question.kind) {
    case 'open': {
      const { card, weights, name } = question;
      model = await restoreFusedModel(engine, card, async () => weights, name);
      return undefined;
    }
    case 'part':
      opened = openPart(question, theModel());
      return undefined;
    case 'bundle':
      opened?.join.add(decodeBundle(question.bytes, `bundle ${question.owner}`), '');
      return undefined;
    case 'ready':
      return finishPart();
    case 'evaluate':
      return thePart().evaluate();
    case 'without':
      return thePart().without(new Set(question.absent), question.most);
    case 'alignment':
      return alignment(question.owner);
  }
});

function theModel(): FusedModel {
  if (model) return model;
  throw new Error('a model must be opened before it is asked about');
}

function thePart(): ScoredPart {
  if (part) return part;
  throw new Error('a part must be ready before a model is scored on it');
}

function openPart(data: EvaluatedData, { facts, kind }: FusedModel): OpenPart {
  const chosen = choosePart(data, facts);
  const { samples, pseudonyms } = chosen;
  const votes = kind === 'voting' || kind === 'ensemble';
  const join = new BundleJoin(engine, { samples, pseudonyms, owners: facts.owners, votes });
  const labels = new Map(samples.map((sample, i) => [sample, chosen.labels[i]]));
  return { join, labels, of: chosen.of, isWhole: chosen.isWhole };
}

/** Samples that no owner saw are left out, as in a training. */
function finishPart(): ChosenPart {
  if (!opened) throw new Error('a part must be opened before it is ready');
  const { join, labels, of, isWhole } = opened;
  const all = join.finish();
  const seen = seenSamples(all);
  const rows = Uint32Array.from(all.samples.keys()).filter((row) => seen[row] === 1);
  const joined = withoutOwners(engine, all, rows, new Set());
  for (const tensor of [all.embeddings, all.present]) engine.free(tensor);
  const truth = Int32Array.from(joined.samples, (sample) => labels.get(sample) as number);
  part = new ScoredPart(engine, theModel(), joined, truth);
  opened = undefined;
  return { samples: joined.samples, of, isWhole };
}

function alignment(owner: number): StoredAlignment {
  const { alignment: matrices } = modelParts(theModel());
  const { width } = theModel().facts.owners[owner];
  if (!matrices) return { kind: 'none', rows: width, columns: width, values: new Float32Array() };
  return { kind: matrices.kind, ...alignmentOf(matrices, owner, width) };
}
