import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { describeDataset } from './dataset-info.ts';
import { writeDataset } from './dataset-writer.ts';

test('counts owners, samples, classes, missing windows and zeros, and averages each owner', async () => {
  const out = join(temporaryDirectory(), 'out');
  const samples = ['x', 'y', 'z', 'w'];
  const card = { name: 'toy', classes: ['a', 'b', 'c'], simulated: false, source: {} };
  await writeDataset(out, card, async (writer) => {
    const two = { length: 2, variates: ['v', 'i'], rate: '2 Hz', samples: ['x', 'y'] };
    await writer.addOwner({ id: 'p', ...two, windows: Float32Array.of(1, 0, 2, 0, 3, 0, 4, 0) });
    const one = { length: 1, variates: ['v', 'i'], rate: '1 Hz', samples };
    await writer.addOwner({ id: 'q', ...one, windows: Float32Array.of(1, 2, 1, 2, 1, 2, 1, 2) });
    writer.setLabels(samples, Int32Array.of(0, 2, 2, 0));
    writer.setSplit({ train: ['x', 'y'], validation: ['z'], test: ['w'] });
  });
  const info = await describeDataset(out);
  expect(info).toMatchObject({ owners: 2, samples: 4, classes: [2, 0, 2], missing: 0.25, zeros: 0.25, graph: false });
  expect(info.split).toEqual({ train: 2, validation: 1, test: 1 });
  expect(info.perOwner[0]).toMatchObject({ id: 'p', windows: 2, missing: 0.5, meanSignal: [2, 3] });
  expect(info.perOwner[1]).toMatchObject({ id: 'q', windows: 4, missing: 0, meanSignal: [1, 2] });
});
