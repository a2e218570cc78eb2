// What docs/planted.md claims, small: the graph and the permutations behind planted embeddings are found by their labels.
import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../src/core/engine/engine.ts';
import { simulatePlanted } from '../src/data/simulate/planted.ts';
import { paperPreset } from '../src/fuse/fusion-config.ts';
import { fitPlanted } from '../src/reproduce/fit-planted.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

describe('planted recovery', () => {
  const planted = simulatePlanted({ owners: 12, samples: 4000, width: 6, neighbours: 1, seed: 1 });
  const config = { ...paperPreset, alignment: 'hard', hidden: 16, epochs: 40, seed: 1 } as const;

  it('finds all permutations, and every edge when θ keeps its gradient', async () => {
    const projected = { ...config, projectEdges: true };
    const { edges, frozenWrong, permutations, auc } = await fitPlanted(engine, planted, projected);
    expect(permutations).toBeGreaterThanOrEqual(0.95);
    expect(edges).toBeGreaterThanOrEqual(0.95);
    expect(frozenWrong).toBeLessThan(0.05);
    expect(auc).toBeGreaterThan(0.75);
  });

  it('cannot tell together from apart without a graph, whatever the alignment', async () => {
    const { auc, permutations } = await fitPlanted(engine, planted, { ...config, graph: 'none' });
    expect(Math.abs(auc - 0.5)).toBeLessThan(0.1);
    expect(permutations).toBeGreaterThan(0.8);
  });
});
