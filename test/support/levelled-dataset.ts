// A small data set of one owner whose windows lie on a level that says nothing of their class: what a shield should hide.
import { join } from 'node:path';
import { RandomStream } from '../../src/core/random.ts';
import { writeDataset } from '../../src/data/dataset/dataset-writer.ts';

/** Writes the data set to `parent`/levelled and returns the owner's folder. Class 1 swings and class 0 drifts, each around its level. */
export async function levelledDataset(parent: string, samples = 300): Promise<string> {
  const dir = join(parent, 'levelled');
  const ids = Array.from({ length: samples }, (_, i) => `s${String(i).padStart(4, '0')}`);
  const random = new RandomStream(7, 0);
  const labels = Int32Array.from(ids, () => Number(random.integer(10) < 3));
  const levels = Float64Array.from(labels, (label) => 1.5 * label + random.normal());
  const options = { name: 'levelled', classes: ['drift', 'swing'], simulated: true, source: { seed: 7 } };
  await writeDataset(dir, options, async (writer) => {
    const windows = Float32Array.from({ length: samples * 8 }, (_, at) => {
      const [sample, time] = [Math.floor(at / 8), at % 8];
      const signal = labels[sample] === 1 ? Math.sin(time) : 0;
      return levels[sample] + signal + 0.8 * random.normal();
    });
    await writer.addOwner({ id: 'well', length: 8, variates: ['a'], rate: '8 Hz', samples: ids, windows });
    writer.setLabels(ids, labels);
    const [train, validation] = [Math.floor(samples * 0.6), Math.floor(samples * 0.8)];
    writer.setSplit({
      train: ids.slice(0, train),
      validation: ids.slice(train, validation),
      test: ids.slice(validation),
    });
  });
  return join(dir, 'owners', 'well');
}
