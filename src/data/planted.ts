// [owner] Planted embeddings: a known graph between owners and known permutations of their embeddings, to measure recovery.
//
// Owners lie in the plane and are linked to their nearest neighbours. In every sample some owners raise an alarm: in
// class 1 an owner and its neighbours (one event, seen from several sides), in class 0 as many owners picked anywhere
// (unrelated false alarms). Each owner alone, and any sum over owners, is blind to the class: only a model that knows
// who neighbours whom, and reads the permuted embeddings alike, can tell.
import { RandomStream } from '../core/random.ts';

export interface PlantedOptions {
  owners: number;
  samples: number;
  /** Embedding width d. */
  width: number;
  /** Nearest neighbours each owner is linked to. Default 3. */
  neighbours?: number;
  /** Standard deviation of the noise on every number; an alarm has unit strength per number. Default 0.5. */
  noise?: number;
  seed: number;
}

export interface Planted {
  /** [sample, owner, d] */
  embeddings: Float32Array;
  /** [sample], 0 or 1 */
  labels: Int32Array;
  truth: {
    /** [owner, owner], symmetric, 0 or 1, zero diagonal */
    adjacency: Uint8Array;
    /** Per owner: number k of its embedding is number permutation[k] of the common order. */
    permutations: Uint32Array[];
    /** [owner, 2] */
    positions: Float64Array;
  };
}

export function simulatePlanted(options: PlantedOptions): Planted {
  const { owners, samples, width, neighbours = 3, noise = 0.5, seed } = options;
  const positions = Float64Array.from(
    { length: owners * 2 },
    (() => {
      const random = new RandomStream(seed, 0);
      return () => random.uniform();
    })(),
  );
  const adjacency = nearestNeighbourGraph(positions, neighbours);
  const wiring = new RandomStream(seed, 1);
  const permutations = Array.from({ length: owners }, () => wiring.permutation(width));
  // Half the numbers rise with an alarm and half fall, so that an unaligned mean over owners says nothing.
  const pattern = Float64Array.from({ length: width }, (_, k) => (k % 2 === 0 ? 1 : -1));

  const random = new RandomStream(seed, 2);
  const embeddings = new Float32Array(samples * owners * width);
  const labels = new Int32Array(samples);
  const alarm = new Uint8Array(owners);
  for (let s = 0; s < samples; s++) {
    labels[s] = random.integer(2);
    alarm.fill(0);
    const site = random.integer(owners);
    const links = adjacency.subarray(site * owners, (site + 1) * owners);
    let count = 1;
    for (const linked of links) count += linked;
    if (labels[s] === 1) {
      alarm.set(links);
      alarm[site] = 1;
    } else {
      for (const owner of random.permutation(owners).subarray(0, count)) alarm[owner] = 1;
    }
    for (let i = 0; i < owners; i++) {
      const at = (s * owners + i) * width;
      for (let k = 0; k < width; k++) {
        embeddings[at + k] = alarm[i] * pattern[permutations[i][k]] + noise * random.normal();
      }
    }
  }
  return { embeddings, labels, truth: { adjacency, permutations, positions } };
}

function nearestNeighbourGraph(positions: Float64Array, neighbours: number): Uint8Array {
  const n = positions.length / 2;
  const adjacency = new Uint8Array(n * n);
  for (let i = 0; i < n; i++) {
    const distance = (j: number) =>
      Math.hypot(positions[2 * i] - positions[2 * j], positions[2 * i + 1] - positions[2 * j + 1]);
    const others = Array.from({ length: n }, (_, j) => j)
      .filter((j) => j !== i)
      .sort((a, b) => distance(a) - distance(b));
    for (const j of others.slice(0, neighbours)) {
      adjacency[i * n + j] = 1;
      adjacency[j * n + i] = 1;
    }
  }
  return adjacency;
}
