import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { encodeArrow, integerColumn, textColumn } from '../../base/arrow-table.ts';
import { type LabelSource, readLabels } from './label-sources.ts';
import { readSplit, splitIds } from './split-sources.ts';

const EXPECTED = { samples: ['s1', 's2'], labels: Int32Array.of(1, 0), classes: ['calm', 'storm'] };
const bytes = encodeArrow(
  { sample: textColumn(['s1', 's2']), label: integerColumn(Int32Array.of(1, 0)) },
  { 'f3.classes': '["calm","storm"]' },
);

function file(name: string, content: string | Uint8Array): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

describe('labels', () => {
  it.each<[string, () => LabelSource]>([
    ['a CSV file', () => file('labels.csv', 'label,sample\nstorm,s1\ncalm,s2\n')],
    ['an Arrow file', () => file('labels.arrow', bytes)],
    ['bytes of an Arrow file', () => bytes],
    ['an object', () => ({ s1: 'storm', s2: 'calm' })],
    ['a map', () => new Map(Object.entries({ s1: 'storm', s2: 'calm' }))],
    ['columns of names', () => ({ samples: ['s1', 's2'], labels: ['storm', 'calm'] })],
    [
      'columns of positions',
      () => ({ samples: ['s1', 's2'], labels: Int32Array.of(1, 0), classes: ['calm', 'storm'] }),
    ],
  ])('may be %s', async (_, source) => {
    expect(await readLabels(source())).toEqual(EXPECTED);
  });

  it('with another order of classes have the second as the positive one', async () => {
    expect(await readLabels({ s1: 'storm', s2: 'calm' }, ['storm', 'calm'])).toMatchObject({
      labels: Int32Array.of(0, 1),
    });
  });

  it.each<[string, LabelSource, string]>([
    ['fewer labels than samples', { samples: ['a', 'b'], labels: ['x'] }, 'got 1 for 2 samples'],
    ['a sample twice', { samples: ['a', 'a'], labels: ['x', 'y'] }, 'every sample must be labelled once'],
    ['one class only', { a: 'x', b: 'x' }, 'must name at least two classes'],
    ['nothing', {}, 'must label at least one sample'],
    ['none', undefined as never, 'must be a path, bytes, an object, a map or columns, got undefined'],
  ])('with %s are refused', async (_, source, message) => {
    await expect(readLabels(source)).rejects.toThrow(message);
  });
});

describe('a split', () => {
  const samples = Array.from({ length: 50 }, (_, i) => `s${i}`);

  it('is the seed of a random one, a file, or ids', async () => {
    const ids = splitIds(await readSplit(4, samples), samples);
    expect([ids.train.length, ids.validation.length, ids.test.length]).toEqual([35, 5, 10]);
    expect(splitIds(await readSplit(4, samples), samples)).toEqual(ids);
    expect(splitIds(await readSplit(ids, samples), samples)).toEqual(ids);
    const csv = file('split.csv', 'sample,split\ns1,train\n"s,2",test\n');
    expect(await readSplit(csv, samples)).toEqual({ train: ['s1'], validation: [], test: ['s,2'] });
  });

  it.each([
    ['a seed that is no whole number', 1.5, 'a seed must be a whole number of at least 0, got 1.5'],
    ['a missing part', { train: ['a'], validation: ['b'] }, 'part test must be a list of sample ids, got none'],
    ['numbers for ids', { train: [1], validation: [2], test: [3] }, 'part train must be a list of sample ids, got [1]'],
  ])('that has %s is refused', (_, split, message) => {
    expect(() => splitIds(split as number, samples)).toThrow(message);
  });

  it('that JavaScript leaves out is refused', async () => {
    await expect(readSplit(undefined as never, samples)).rejects.toThrow(
      'must be a seed, a path, or the ids of each part',
    );
  });
});
