// [owner] Embeddings of several owners split among entities in one process: for demonstrations, tests and benches. A real owner splits its own bundle.
import { Engine } from '../core/engine/engine.ts';
import type { EmbeddingShares } from './embedding-shares.ts';
import { Field } from './field.ts';
import { toFixedPoint } from './fixed-point.ts';
import type { Scheme } from './scheme.ts';
import { splitNumbers } from './split-numbers.ts';

/** The shares of embeddings [sample, owner, d], entity 1 first. */
export function shareEmbeddings(
  scheme: Scheme,
  embeddings: Float32Array,
  owners: number,
  width: number,
): EmbeddingShares[] {
  const engine = new Engine({ threads: 1 });
  const field = new Field(engine);
  const samples = embeddings.length / (owners * width);
  const shares = Array.from({ length: owners }, (_, owner) => {
    const own = new Float32Array(samples * width);
    for (let s = 0; s < samples; s++) {
      own.set(embeddings.subarray((s * owners + owner) * width, (s * owners + owner + 1) * width), s * width);
    }
    const split = splitNumbers(field, scheme, toFixedPoint(own, `owner ${owner}`));
    field.reset();
    return split;
  });
  void engine.dispose();
  const widths = new Array<number>(owners).fill(width);
  return Array.from({ length: scheme.entities }, (_, j) => ({ widths, samples, of: (owner) => shares[owner][j] }));
}
