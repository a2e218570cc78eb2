import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { graphWeights, readGraph } from './given-graph.ts';

const OWNERS = ['11', '7', '9'];
const MATRIX = '0,1,2\n1,0,3\n2,3,0\n';
/** The matrix of owners 7, 11, 9 in the order of OWNERS. */
const REORDERED = [0, 1, 3, 1, 0, 2, 3, 2, 0];

function file(name: string, text: string, dir = temporaryDirectory()): string {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
}
const weightsOf = async (path: string) => Array.from(graphWeights(await readGraph(path), OWNERS, 'graph'));

describe('a given graph', () => {
  it('is a list of edges between owners, in both directions', async () => {
    const edges = file('edges.csv', 'from,to,weight\n11,9,0.5\n"7",9\n');
    expect(await weightsOf(edges)).toEqual([0, 0, 0.5, 0, 0, 1, 0.5, 1, 0]);
  });

  it.each([
    ['its columns', `7,11,9\n${MATRIX}`],
    ['its columns and rows', ',7,11,9\n7,0,1,2\n11,1,0,3\n9,2,3,0\n'],
    ['its columns in quotes', `"7","11","9"\n${MATRIX}`],
  ])('is a matrix that names %s', async (_, text) => {
    expect(await weightsOf(file('m.csv', text))).toEqual(REORDERED);
  });

  it('is a bare matrix only in a data set, which says the order of its owners', async () => {
    const dir = temporaryDirectory();
    file('dataset.json', JSON.stringify({ owners: ['7', '11', '9'] }), dir);
    expect(await weightsOf(file('graph.csv', MATRIX, dir))).toEqual(REORDERED);
    await expect(weightsOf(file('m.csv', MATRIX))).rejects.toThrow(/got numbers, whose order nobody can check/);
  });

  it('may be values in memory', async () => {
    expect(await readGraph([{ from: '7', to: '9' }])).toEqual([{ from: '7', to: '9' }]);
    const named = { owners: ['9', '7', '11'], weights: [[0, 1, 0], Float32Array.of(1, 0, 0), [0, 0, 0]] };
    expect(Array.from(graphWeights(named, OWNERS, 'graph'))).toEqual([0, 0, 0, 0, 0, 1, 0, 1, 0]);
  });

  it.each([
    ['without an owner', '7,9\n0,1\n1,0\n', /must have every owner of the bundles, got none named 11/],
    ['that is ragged', '7,9,11\n0,1\n1,0\n0,0\n', /must be 3 × 3 numbers/],
    ['with an owner twice', '7,7,9,11\n0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n', /must name every owner once/],
    ['with an edge to a stranger', 'from,to\n7,12\n', /edge 1 must be between two owners of the bundles.*got 7, 12, 1/],
    ['with a weight past float32', 'from,to,weight\n7,9,1e308\n', /line 2 must be .* got "7,9,1e308"/],
    ['with a negative weight', '7,9,11\n0,0,0\n0,0,-2\n0,0,0\n', /got -2 in row 2, column 3/],
  ])('%s is refused', async (_, text, message) => {
    await expect(weightsOf(file('m.csv', text))).rejects.toThrow(message);
  });
});
