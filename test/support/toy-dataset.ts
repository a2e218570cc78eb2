// A small data set of oscillations: class 1 swings, class 0 drifts, and every owner has its own scale and noise.
import { join } from 'node:path';
import { RandomStream } from '../../src/core/random.ts';
import { writeDataset } from '../../src/data/dataset/dataset-writer.ts';

export const TOY_OWNERS = ['north', 'east', 'south'];

/** Writes the data set to `parent`/toy and returns that path. East saw only half of the samples. */
export async function toyDataset(parent: string, samples = 120): Promise<string> {
  const dir = join(parent, 'toy');
  const ids = Array.from({ length: samples }, (_, i) => `s${String(i).padStart(4, '0')}`);
  const random = new RandomStream(3, 0);
  const labels = Int32Array.from(ids, () => random.integer(2));
  const options = { name: 'toy', classes: ['drift', 'swing'], simulated: true, source: { seed: 3 } };
  await writeDataset(dir, options, async (writer) => {
    for (const [o, id] of TOY_OWNERS.entries()) {
      const seen = ids.map((_, i) => i).filter((i) => id !== 'east' || i % 2 === 0);
      const windows = Float32Array.from({ length: seen.length * 8 * 2 }, (_, at) => {
        const [sample, step, variate] = [seen[Math.floor(at / 16)], Math.floor(at / 2) % 8, at % 2];
        const signal = labels[sample] === 1 ? Math.sin(step + o) : step / 8;
        return (1 + o) * signal * (1 - variate / 2) + 0.3 * random.normal();
      });
      const samplesSeen = seen.map((i) => ids[i]);
      await writer.addOwner({ id, length: 8, variates: ['a', 'b'], rate: '8 Hz', samples: samplesSeen, windows });
    }
    writer.setLabels(ids, labels);
    const [train, validation] = [Math.floor(samples * 0.6), Math.floor(samples * 0.8)];
    const split = { train: ids.slice(0, train), validation: ids.slice(train, validation), test: ids.slice(validation) };
    writer.setSplit(split);
  });
  return dir;
}
