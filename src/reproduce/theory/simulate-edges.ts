// Draws relaxed Bernoulli samples with the kernels that training uses, all with one edge probability.
import type { Engine } from '../../core/engine/engine.ts';
import type { RelaxationKind } from '../../core/ops/edge-quantiles.ts';
import { relaxedBernoulli } from '../../core/ops/relaxed-bernoulli.ts';

/** Number of owners in a drawn graph, which gives 19,900 samples at a time. */
const OWNERS = 200;
const EDGES = (OWNERS * (OWNERS - 1)) / 2;

/** Draws `count` fresh samples: no two calls of one function share noise. */
export type SimulateEdges = (relaxation: RelaxationKind, theta: number, tau: number, count: number) => Float32Array;

export function edgeSimulation(engine: Engine, seed: number): SimulateEdges {
  let step = 0;
  return (relaxation, theta, temperature, count) => {
    const probabilities = engine.buffer([OWNERS, OWNERS], new Float32Array(OWNERS * OWNERS).fill(theta));
    const tape = engine.inferenceTape();
    const samples = new Float32Array(Math.ceil(count / EDGES) * EDGES);
    for (let filled = 0; filled < count; ) {
      tape.reset();
      const graph = relaxedBernoulli(tape, probabilities, { relaxation, temperature, seed, step: step++ }).data;
      for (let i = 0; i < OWNERS - 1; i++) {
        samples.set(graph.subarray(i * OWNERS + i + 1, (i + 1) * OWNERS), filled);
        filled += OWNERS - 1 - i;
      }
    }
    tape.dispose();
    engine.free(probabilities);
    return samples.subarray(0, count);
  };
}
