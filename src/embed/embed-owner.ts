// [owner] Freezes an owner's model and embeds every window it has (Algorithm 1, line 3).
import type { Engine } from '../core/engine/engine.ts';
import { softmaxRows } from '../core/softmax-rows.ts';
import type { PrivacyNote } from '../exchange/bundle/privacy-note.ts';
import { loadTrainedOwner } from './load-trained-owner.ts';
import { type ModelCard, modelHash } from './owner-model.ts';
import { predictLocal } from './train-local-model.ts';
import type { TrainingObjective } from './training-objective.ts';

/** The content of an owner's bundle. */
export interface OwnerEmbeddings {
  owner: string;
  samples: string[];
  width: number;
  /** [sample, d] */
  embeddings: Float32Array;
  classes: number;
  /** [sample, class]: class probabilities from the local model */
  probabilities: Float32Array;
  /** SHA-256 of the weights, and of how answers are rounded. */
  model: string;
  /** What the model was trained for. With `label+reconstruction` embeddings give more of the windows away. */
  objective: TrainingObjective;
  /** What its training did against what embeddings give away, as JSON: bottleneck, shield and levels of answers, where there are any. */
  privacy?: string;
}

/** Embeds every window of an owner with its trained model. */
export async function embedOwner(engine: Engine, folder: string): Promise<OwnerEmbeddings> {
  const { owner, card, model, windows } = await loadTrainedOwner(engine, folder);
  const rows = Uint32Array.from(owner.samples.keys());
  const { embeddings, logits } = predictLocal(engine, model, windows, rows);
  const classes = card.classes.length;
  const { width } = model;
  model.dispose();
  engine.free(windows);
  const probabilities = Float32Array.from(softmaxRows(logits, classes));
  const { options } = card;
  const content = { owner: owner.id, samples: owner.samples, width, embeddings, classes, probabilities };
  const privacy = privacyNote(card);
  return { ...content, model: modelHash(card), objective: options.objective ?? 'label', ...(privacy && { privacy }) };
}

function privacyNote({ options: { bottleneck, shield }, answers }: ModelCard): string | undefined {
  if (bottleneck === undefined && !shield && !answers) return undefined;
  const note: PrivacyNote = {
    ...(bottleneck !== undefined && { bottleneck }),
    ...(shield && { shield }),
    ...(answers && { answers: answers.levels }),
  };
  return JSON.stringify(note);
}
