import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { graphSentence, relateToGrid } from './demo-graph.ts';

const OWNERS = 8;
const NAMES = Array.from({ length: OWNERS }, (_, i) => `pmu-${i}`);
/** Owner i measures bus 2i + 1; buses stand in a row. */
const BUSES = 2 * OWNERS + 1;

function rowOfBuses(): string {
  const dataset = temporaryDirectory();
  mkdirSync(join(dataset, 'truth'));
  const buses = Array.from({ length: BUSES }, (_, x) => ({ x, y: x % 3 }));
  const lines = buses.slice(1).map((_, from) => ({ from, to: from + 1 }));
  const pmus = NAMES.map((owner, i) => ({ owner, bus: 2 * i + 1 })).reverse();
  writeFileSync(join(dataset, 'truth', 'grid.json'), JSON.stringify({ buses, lines, pmus }));
  const rows = buses.map((_, bus) => [bus, ...NAMES.map((_, i) => Math.abs(bus - (2 * i + 1)))].join(','));
  writeFileSync(
    join(dataset, 'truth', 'electrical-distance.csv'),
    `${[['bus', ...NAMES].join(','), ...rows].join('\n')}\n`,
  );
  return dataset;
}

/** A fit whose edge probability is this function of how many places two owners are apart. */
function fitOf(probability: (apart: number) => number): { owners: string[]; probabilities: Float32Array } {
  const at = (i: number, j: number) => (i === j ? 0 : probability(Math.abs(i - j)));
  const probabilities = Float32Array.from({ length: OWNERS ** 2 }, (_, k) => at(Math.floor(k / OWNERS), k % OWNERS));
  return { owners: NAMES, probabilities };
}

describe('the learned graph and the grid', () => {
  it('finds a graph that follows the grid', () => {
    const dataset = rowOfBuses();
    const graph = relateToGrid([fitOf((apart) => 1 / apart), fitOf((apart) => 0.9 / apart)], dataset, 1);
    expect(graph.withNearness.correlation).toBeCloseTo(1, 9);
    expect(graph.betweenFits).toBeCloseTo(1, 9);
    expect(graph.pairs).toBe(28);
    expect(graph.strongest[0].ends).toEqual([0, 1]);
    expect(graph.plan.owners[2]).toEqual({ owner: 'pmu-2', bus: 5 });
    expect(graphSentence(graph)).toContain('over 28 pairs of owners');
    expect(graphSentence(graph)).toContain('near owners are linked more than distant ones');
  });

  it('finds one that shuns it, and one that has nothing to do with it', () => {
    const dataset = rowOfBuses();
    const shuns = relateToGrid([fitOf((apart) => apart / 10), fitOf((apart) => apart / 9)], dataset, 1);
    expect(graphSentence(shuns)).toContain('distant owners are linked more than near ones');
    const neither = relateToGrid([fitOf((apart) => (apart * 37) % 11), fitOf((apart) => (apart * 5) % 7)], dataset, 1);
    expect(graphSentence(neither)).toContain('the graph does not follow the grid');
  });
});
