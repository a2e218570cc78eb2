// [owner] Quantile codes that an owner makes of its own embeddings before it shares them (Gorishniy et al. 2022), since no entity could: where a number lies
// between the owner's quantiles is a comparison. The table of a fusion with `encoding: 'quantiles'` then is a product of shares.
import { quantileEdges } from '../../core/quantile-edges.ts';
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';

/** What turns an owner's numbers into codes: the same for all of its samples, live ones too, so the owner keeps it with its model. */
export interface QuantileCoding {
  /** Numbers of an embedding. */
  width: number;
  bins: number;
  /** Ascending edges of the bins: [width, bins + 1] */
  edges: number[];
}

/** The first and the last bin go on beyond the samples that were seen, but no further than numbers that can be shared and squared. */
const FURTHEST = 64;
/** As for the bins of a fusion. */
const BINS = { least: 2, most: 256 } as const;

type Embeddings = Pick<Bundle, 'owner' | 'samples' | 'width' | 'embeddings'>;

/** `training`: ids of the samples of the training part; edges are quantiles of those that the bundle has. */
export function quantileCodingOf(bundle: Embeddings, training: Iterable<string>, bins: number): QuantileCoding {
  const { owner, samples, width, embeddings } = bundle;
  if (!Number.isInteger(bins) || bins < BINS.least || bins > BINS.most) {
    const rule = `must be a whole number from ${BINS.least} to ${BINS.most}`;
    throw new F3Error('F3_ARGUMENT', `bins of ${owner}: ${rule}, got ${bins}`);
  }
  const wanted = new Set(training);
  const rows = Uint32Array.from([...samples.keys()].filter((row) => wanted.has(samples[row])));
  if (rows.length < bins) {
    const rule = `${bins} bins need at least as many samples of the training part`;
    throw new F3Error('F3_ARGUMENT', `bundle of ${owner}: ${rule}, got ${rows.length} among ${samples.length}`);
  }
  const coding = { width, bins, edges: [...quantileEdges({ embeddings, owners: 1, width }, rows, bins)] };
  if (constantNumbers(coding).length < width) return coding;
  const rule = 'quantiles need numbers that vary among samples of the training part';
  throw new F3Error('F3_ARGUMENT', `bundle of ${owner}: ${rule}, got the same ${width} in all ${rows.length}`);
}

/** Which numbers of an embedding never varied: their codes are all 0 and say nothing. */
export function constantNumbers({ width, bins, edges }: QuantileCoding): number[] {
  const numbers = Array.from({ length: width }, (_, number) => number);
  return numbers.filter((number) => edges[number * (bins + 1)] === edges[(number + 1) * (bins + 1) - 1]);
}

/** The bundle with codes for numbers, `bins` times as wide: the code of a number is 1 before its bin, its share within, and 0 after. */
export function codedBundle<Coded extends Embeddings>(bundle: Coded, coding: QuantileCoding): Coded {
  const { owner, width, embeddings } = bundle;
  const { bins, edges } = coding;
  if (width !== coding.width) {
    throw new F3Error(
      'F3_ARGUMENT',
      `bundle of ${owner}: must have the ${coding.width} numbers of its coding, got ${width}`,
    );
  }
  const codes = new Float32Array(embeddings.length * bins);
  for (let at = 0; at < embeddings.length; at++) {
    const first = (at % width) * (bins + 1);
    let bin = 0;
    while (bin < bins - 1 && edges[first + bin + 1] < embeddings[at]) bin++;
    const low = edges[first + bin];
    const size = edges[first + bin + 1] - low;
    codes.fill(1, at * bins, at * bins + bin);
    // A bin without size has no share: the code of what never varies is 0.
    const share = size > 0 ? (embeddings[at] - low) / size : 0;
    codes[at * bins + bin] = Math.max(-FURTHEST, Math.min(FURTHEST, share));
  }
  return { ...bundle, width: width * bins, embeddings: codes };
}
