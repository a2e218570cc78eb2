// Joins what the owners of a data set sent with its labels, its split and its graph: the input of a fusion for experiments.
import type { Engine } from '../core/engine/engine.ts';
import type { Dataset } from '../data/dataset/dataset.ts';
import type { Bundle } from '../exchange/bundle/bundle.ts';
import { type BundleSource, openBundles } from '../exchange/bundle/bundle-sources.ts';
import { type FusionInput, InputAssembly } from '../fuse/join/fusion-input.ts';

export interface DatasetInputOptions {
  /** A bundle that takes the place of its owner's. */
  instead?: Bundle | undefined;
  onBundle?: ((done: number, total: number) => void) | undefined;
}

/** Owners are in the data set's order, with their votes. `bundles` is a folder, or anything else that holds bundles. */
export async function datasetInput(
  engine: Engine,
  dataset: Dataset,
  bundles: BundleSource | readonly BundleSource[],
  { instead, onBundle }: DatasetInputOptions = {},
): Promise<FusionInput> {
  const { samples, labels, classes, split, graph: flat, owners } = dataset;
  const size = owners.length;
  const weights = flat && owners.map((_, row) => flat.subarray(row * size, (row + 1) * size));
  const assembly = new InputAssembly(engine, {
    labels: { samples, labels, classes },
    split,
    graph: weights && { owners, weights },
    owners: owners.map((owner) => ({ owner })),
    votes: true,
  });
  for await (const { bundle, hash, done, total } of openBundles(bundles)) {
    if (bundle.owner !== instead?.owner) assembly.add(bundle, hash);
    onBundle?.(done, total);
  }
  if (instead) for await (const { bundle, hash } of openBundles(instead)) assembly.add(bundle, hash);
  return assembly.finish();
}
