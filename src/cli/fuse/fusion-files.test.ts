import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { readAdjacency, readLabelFile, readSplit } from './fusion-files.ts';

const OWNERS = ['11', '7', '9'];

function file(name: string, text: string, dir = temporaryDirectory()): string {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
}

describe('an adjacency', () => {
  it('is a list of edges between owners, in both directions', async () => {
    const edges = file('edges.csv', 'from,to,weight\n11,9,0.5\n"7",9\n');
    expect(Array.from(await readAdjacency(edges, OWNERS))).toEqual([0, 0, 0.5, 0, 0, 1, 0.5, 1, 0]);
  });

  it('is a matrix in the order of its header, of the data set beside it, or of the owners', async () => {
    const plain = '0,1,2\n1,0,3\n2,3,0\n';
    const inOrder = [0, 1, 2, 1, 0, 3, 2, 3, 0];
    expect(Array.from(await readAdjacency(file('m.csv', plain), OWNERS))).toEqual(inOrder);
    const reordered = [0, 1, 3, 1, 0, 2, 3, 2, 0];
    expect(Array.from(await readAdjacency(file('m.csv', `7,11,9\n${plain}`), OWNERS))).toEqual([
      0, 1, 3, 1, 0, 2, 3, 2, 0,
    ]);
    const dir = temporaryDirectory();
    file('dataset.json', JSON.stringify({ owners: ['7', '11', '9'] }), dir);
    expect(Array.from(await readAdjacency(file('graph.csv', plain, dir), OWNERS))).toEqual(reordered);
  });

  it('must have every owner, and as many rows as owners', async () => {
    await expect(readAdjacency(file('m.csv', '7,9\n0,1\n1,0\n'), OWNERS)).rejects.toThrow(
      /must have every owner of the bundles, got none named 11/,
    );
    await expect(readAdjacency(file('m.csv', '0,1\n1,0\n'), OWNERS)).rejects.toThrow(/must be 3 × 3 numbers/);
    await expect(readAdjacency(file('e.csv', 'from,to\n7,12\n'), OWNERS)).rejects.toThrow(
      /line 2 must be two owners of the bundles and a weight, finite in float32 and at least 0, got "7,12"/,
    );
    await expect(readAdjacency(file('e.csv', 'from,to,weight\n7,9,1e308\n'), OWNERS)).rejects.toThrow(
      /line 2 must be .* a weight, finite in float32 and at least 0, got "7,9,1e308"/,
    );
  });
});

describe('labels and splits', () => {
  it('come from CSV', async () => {
    const labels = await readLabelFile(file('labels.csv', 'label,sample\nb,s1\na,"s,2"\n'));
    expect(labels).toEqual({ samples: ['s1', 's,2'], labels: Int32Array.of(1, 0), classes: ['a', 'b'] });
    const split = file('split.csv', 'sample,split\ns1,train\n"s,2",test\n');
    expect(await readSplit(split, labels)).toEqual({ train: ['s1'], validation: [], test: ['s,2'] });
  });

  it('a number is the seed of a random split', async () => {
    const samples = Array.from({ length: 50 }, (_, i) => `s${i}`);
    const set = { samples, labels: new Int32Array(50), classes: ['a', 'b'] };
    const { train, validation, test } = await readSplit('4', set);
    expect([train.length, validation.length, test.length]).toEqual([35, 5, 10]);
    expect(await readSplit('4', set)).toEqual({ train, validation, test });
  });
});
