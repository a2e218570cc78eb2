// The splits on which our advice is measured, by name, and a data set cut anew by one of them.
import { existsSync } from 'node:fs';
import { openDataset } from '../data/dataset/dataset.ts';
import { writeDataset } from '../data/dataset/dataset-writer.ts';
import { randomSplit, timeSplit } from '../exchange/labels/sample-parts.ts';
import type { Split } from '../exchange/labels/split.ts';
import type { ExperimentContext } from './experiment.ts';
import type { FoundDataset } from './find-dataset.ts';

/**
 * `fixed` is the data set's own, `time` trains on the first 70 % of the samples, validates on the next 10 % and tests on the
 * last 20 %, and the others are random draws in the same proportions. None is balanced by class, as the fixed ones are not.
 */
export const SPLIT_NAMES = ['fixed', 'random-11', 'random-12', 'random-13', 'time'] as const;
export type SplitName = (typeof SPLIT_NAMES)[number];

/** Sample ids of each part; `samples` are all of the data set, in the order of time. */
export function namedSplit(name: Exclude<SplitName, 'fixed'>, samples: readonly string[]): Split {
  return name === 'time' ? timeSplit(samples) : randomSplit(samples, Number(name.slice('random-'.length)));
}

/**
 * The data set under the split, made once, beside the one on its fixed split. What owners learn from is in its owners'
 * folders, so owners that train there never see the test part of this split.
 */
export async function findSplit(
  dataset: FoundDataset,
  name: SplitName,
  { progress, signal }: Pick<ExperimentContext, 'progress' | 'signal'>,
): Promise<FoundDataset> {
  if (name === 'fixed') return dataset;
  const dir = `${dataset.dir}-${name}`;
  if (!existsSync(dir)) {
    const { owners, samples, labels, graph, owner, ...card } = await openDataset(dataset.dir);
    await writeDataset(dir, card, async (writer) => {
      for (const [i, id] of owners.entries()) {
        signal?.throwIfAborted();
        await writer.addOwner(await owner(id));
        progress(`split ${name}: writing owners`, i + 1, owners.length);
      }
      writer.setLabels(samples, labels);
      writer.setSplit(namedSplit(name, samples));
      if (graph) writer.setGraph(graph);
    });
  }
  return { ...dataset, dir };
}
