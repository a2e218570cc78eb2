// [owner] Freezes an owner's model and embeds every window it has (Algorithm 1, line 3).
import type { Engine } from '../core/engine.ts';
import { loadTrainedOwner } from './load-trained-owner.ts';
import { predictLocal } from './train-local-model.ts';

/** What a bundle is made of. */
export interface OwnerEmbeddings {
  owner: string;
  samples: string[];
  width: number;
  /** [sample, d] */
  embeddings: Float32Array;
  classes: number;
  /** [sample, class], the local model's own opinion */
  probabilities: Float32Array;
  /** SHA-256 of the weights. */
  model: string;
}

export async function embedOwner(engine: Engine, folder: string): Promise<OwnerEmbeddings> {
  const { owner, card, model, windows } = await loadTrainedOwner(engine, folder);
  const rows = Uint32Array.from(owner.samples.keys());
  const { embeddings, logits } = predictLocal(engine, model, windows, rows);
  const classes = card.classes.length;
  const { width } = model;
  model.dispose();
  engine.free(windows);
  const probabilities = softmaxRows(logits, classes);
  return { owner: owner.id, samples: owner.samples, width, embeddings, classes, probabilities, model: card.weights };
}

/** logits: [row, class] → probabilities [row, class] */
export function softmaxRows(logits: Float32Array, classes: number): Float32Array {
  const probabilities = new Float32Array(logits.length);
  for (let at = 0; at < logits.length; at += classes) {
    const row = logits.subarray(at, at + classes);
    const max = row.reduce((a, b) => Math.max(a, b));
    const total = row.reduce((sum, value) => sum + Math.exp(value - max), 0);
    for (let c = 0; c < classes; c++) probabilities[at + c] = Math.exp(row[c] - max) / total;
  }
  return probabilities;
}
