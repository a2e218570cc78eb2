// [owner] Planted embeddings: a known graph between owners and known permutations of their embeddings, to measure
// recovery.
//
// Owners stand around a ring and are linked to the next few on either side. In every sample every owner sees one of d
// kinds of event. In some samples one kind is everywhere: most owners see it, and the label names it. In the others
// each owner draws a kind of its own, and the label says whether linked owners then saw the same kind in pairs
// (together) or nobody shared a draw (apart). Samples of the first sort show how an owner's numbers are permuted, those
// of the second show the graph. docs/planted.md shows that the labels determine both.
import { RandomStream } from '../../core/random.ts';

/** Size and noise of a planted problem. Defaults are those of `PLANTED_DEFAULTS`. */
export interface PlantedOptions {
  owners: number;
  samples: number;
  /** Embedding width d, and the number of kinds. */
  width: number;
  /** Owners on either side that each owner is linked to. */
  neighbours?: number;
  /** Share of samples in which one kind is everywhere. */
  everywhere?: number;
  /** Chance that an owner sees the kind that is everywhere rather than one of its own. */
  reach?: number;
  /** Standard deviation of the noise. Without it the number of the kind seen is 1 and the others are 0. */
  noise?: number;
  seed: number;
}

/** The problem of docs/planted.md, on which recovery was measured. */
export const PLANTED_DEFAULTS = {
  owners: 20,
  samples: 10_000,
  width: 8,
  neighbours: 2,
  everywhere: 0.3,
  reach: 0.8,
  noise: 0.2,
} as const;

/** A simulated problem whose graph and permutations are known. */
export interface Planted {
  /** [sample, owner, d] */
  embeddings: Float32Array;
  /** [sample]: APART, TOGETHER, or EVERYWHERE + kind */
  labels: Int32Array;
  truth: {
    /** [owner, owner], symmetric, 0 or 1, zero diagonal */
    adjacency: Uint8Array;
    /** Per owner: number k of its embedding stands for kind permutation[k]. */
    permutations: Uint32Array[];
    /** [owner, 2], on the unit circle */
    positions: Float64Array;
  };
}

export const APART = 0;
export const TOGETHER = 1;
export const EVERYWHERE = 2;

/** Names of the classes, in the order of the labels. */
export function plantedClasses(width: number): string[] {
  return ['apart', 'together', ...Array.from({ length: width }, (_, kind) => `everywhere-${kind}`)];
}

/** Draws a planted problem: embeddings, labels and the truth behind them. */
export function simulatePlanted(options: PlantedOptions): Planted {
  const { owners, samples, width, neighbours, everywhere, reach, noise, seed } = { ...PLANTED_DEFAULTS, ...options };
  const places = new RandomStream(seed, 0).permutation(owners);
  const adjacency = ringGraph(places, neighbours);
  const wiring = new RandomStream(seed, 1);
  const permutations = Array.from({ length: owners }, () => wiring.permutation(width));

  const random = new RandomStream(seed, 2);
  const links = linksOf(adjacency, owners);
  const embeddings = new Float32Array(samples * owners * width);
  const labels = new Int32Array(samples);
  const kinds = new Uint32Array(owners);
  for (let s = 0; s < samples; s++) {
    if (random.uniform() < everywhere) {
      const kind = random.integer(width);
      labels[s] = EVERYWHERE + kind;
      for (let i = 0; i < owners; i++) kinds[i] = random.uniform() < reach ? kind : random.integer(width);
    } else {
      labels[s] = random.integer(2) === 0 ? APART : TOGETHER;
      for (let i = 0; i < owners; i++) kinds[i] = random.integer(width);
      if (labels[s] === TOGETHER) for (const [i, j] of pairUp(links, owners, random)) kinds[j] = kinds[i];
    }
    for (let i = 0; i < owners; i++) {
      const at = (s * owners + i) * width;
      for (let k = 0; k < width; k++) {
        embeddings[at + k] = (permutations[i][k] === kinds[i] ? 1 : 0) + noise * random.normal();
      }
    }
  }
  return { embeddings, labels, truth: { adjacency, permutations, positions: onCircle(places) } };
}

/** places: [place], the owner who stands there */
function ringGraph(places: Uint32Array, neighbours: number): Uint8Array {
  const n = places.length;
  const adjacency = new Uint8Array(n * n);
  for (let place = 0; place < n; place++) {
    for (let step = 1; step <= Math.min(neighbours, n - 1); step++) {
      const [i, j] = [places[place], places[(place + step) % n]];
      adjacency[i * n + j] = 1;
      adjacency[j * n + i] = 1;
    }
  }
  return adjacency;
}

function linksOf(adjacency: Uint8Array, owners: number): [number, number][] {
  const links: [number, number][] = [];
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) if (adjacency[i * owners + j] === 1) links.push([i, j]);
  }
  return links;
}

/** Pairs linked owners, nobody twice, as many as a random order of the links allows. */
function pairUp(links: [number, number][], owners: number, random: RandomStream): [number, number][] {
  const isPaired = new Uint8Array(owners);
  const pairs: [number, number][] = [];
  for (const at of random.permutation(links.length)) {
    const [i, j] = links[at];
    if (isPaired[i] === 1 || isPaired[j] === 1) continue;
    isPaired[i] = 1;
    isPaired[j] = 1;
    pairs.push([i, j]);
  }
  return pairs;
}

function onCircle(places: Uint32Array): Float64Array {
  const positions = new Float64Array(places.length * 2);
  places.forEach((owner, place) => {
    const angle = (2 * Math.PI * place) / places.length;
    positions.set([Math.cos(angle), Math.sin(angle)], 2 * owner);
  });
  return positions;
}
