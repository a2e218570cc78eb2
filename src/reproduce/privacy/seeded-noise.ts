// The noise of `f3 owner push` with drawings that a seed gives, so that figures on record can be had again. It protects nobody.
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { noiseEmbeddings } from '../../privacy/noise/noise-embeddings.ts';
import { seededDraw } from '../../privacy/noise/secret-numbers.ts';
import { costOf } from '../../privacy/noise/zcdp.ts';

/** σ, in lengths of the cut: with it one release keeps `epsilon` at `delta`, but for what rounding to the grid adds. */
export function noiseFor(epsilon: number, delta: number): number {
  return Math.sqrt(2 / costOf(epsilon, delta));
}

/** The same bundle with noise and without votes. The owner's number keeps the noise of owners apart. */
export function seededNoise(
  bundle: Bundle,
  { noise, isNarrow }: { noise: number; isNarrow: boolean },
  seed: number,
  owner: number,
): Bundle {
  const { probabilities: _votes, classes: _classes, ...rest } = bundle;
  const { width } = bundle;
  const clip = isNarrow ? Math.sqrt(width) : medianLength(bundle.embeddings, width);
  const { embeddings } = noiseEmbeddings(bundle.embeddings, width, { clip, noise }, seededDraw(seed * 100_003 + owner));
  return { ...rest, embeddings };
}

function medianLength(embeddings: Float32Array, width: number): number {
  const lengths = Float64Array.from({ length: embeddings.length / width }, (_, row) =>
    Math.hypot(...embeddings.subarray(row * width, (row + 1) * width)),
  ).sort();
  return lengths[lengths.length >> 1];
}
