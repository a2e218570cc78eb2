import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyDataset } from '../../../test/support/toy-dataset.ts';
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { folderWindows, type LiveWindow, lineWindows, type RefusedLine } from './live-windows.ts';

async function collect<T extends LiveWindow | RefusedLine>(windows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const window of windows) all.push(window);
  return all;
}

test('a folder’s windows come in its order, or in the order asked for', async () => {
  const folder = join(await toyDataset(temporaryDirectory(), 20), 'owners', 'east');
  const { samples, windows } = await readOwnerFolder(folder);
  const all = await collect(folderWindows(folder));
  expect(all.map(({ sample }) => sample)).toEqual(samples);
  expect(all.flatMap(({ window }) => [...window])).toEqual([...windows]);
  const some = await collect(folderWindows(folder, [samples[4], samples[1]]));
  expect(some.map(({ sample }) => sample)).toEqual([samples[4], samples[1]]);
  await expect(collect(folderWindows(folder, ['s0001']))).rejects.toMatchObject({ code: 'F3_STREAM_WINDOW' });
});

test('lines are windows, empty ones are passed over, and samples can be chosen', async () => {
  const lines = ['{"sample":"a","window":[1,2.5]}', '', '{"sample":"b","window":[]}\r'];
  const input = () => Readable.from([lines.join('\n')]);
  expect(await collect(lineWindows(input()))).toEqual([
    { sample: 'a', window: Float32Array.of(1, 2.5) },
    { sample: 'b', window: new Float32Array() },
  ]);
  expect((await collect(lineWindows(input(), ['b']))).map(({ sample }) => sample)).toEqual(['b']);
});

test('a time that is asked for is found however it is written', async () => {
  const input = Readable.from([
    '{"sample":"2012-03-01T07:00","window":[1]}\n{"sample":"2012-03-01T08:00","window":[2]}',
  ]);
  const found = await collect(lineWindows(input, ['2012-03-01 07:00:00']));
  expect(found).toEqual([{ sample: '2012-03-01T07:00', window: Float32Array.of(1) }]);
});

test.each([
  ['{', null],
  ['7', null],
  ['null', null],
  ['{"sample":"a"}', 'a'],
  ['{"sample":"","window":[1]}', null],
  ['{"sample":"a","window":[1,"x"]}', 'a'],
])('the line %s is none, and the next one is read', async (line, sample) => {
  const sound = '{"sample":"b","window":[1]}';
  const [refused, next] = await collect(lineWindows(Readable.from([`\n${line}\n${sound}\n`])));
  expect(refused).toMatchObject({
    sample,
    error: {
      code: 'F3_STREAM_WINDOW',
      message: `stdin: line 2 must be {"sample": "id", "window": [numbers]}, got ${line}`,
    },
  });
  expect(next).toEqual({ sample: 'b', window: Float32Array.of(1) });
});
