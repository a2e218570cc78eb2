// Loads a data set with all its owners into one memory, as end-to-end training needs it and no federation would have it.
import { join } from 'node:path';
import type { Engine } from '../../core/engine/engine.ts';
import { openDataset } from '../../data/dataset/dataset.ts';
import type { OwnerData } from '../../data/dataset/dataset-format.ts';
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { loadTrainedOwner } from '../../embed/load-trained-owner.ts';
import { makeLocalModel } from '../../embed/make-local-model.ts';
import { paperOwnerPreset } from '../../embed/owner-preset.ts';
import { loadWindows, ownerSeed } from '../../embed/train-owner.ts';
import type { LabelSet } from '../../exchange/labels/labels.ts';
import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import type { EndToEndOwner } from './train-end-to-end.ts';

/** Whether the owners' models start as they were trained alone (row L) or with fresh weights (row M). */
export type Start = 'pre-trained' | 'scratch';

export interface LoadedFederation {
  name: string;
  owners: EndToEndOwner[];
  labels: LabelSet;
  /** Sample numbers of each part. */
  split: Record<Part, Uint32Array>;
}

export interface FederationOptions {
  start: Start;
  /** Seed of fresh weights. */
  seed: number;
  /** The owners' folders in the data set's order, where their models lie elsewhere; by default the data set's own. */
  folders?: readonly string[] | undefined;
}

export async function loadFederation(
  engine: Engine,
  dir: string,
  options: FederationOptions,
): Promise<LoadedFederation> {
  const { start, seed, folders } = options;
  const { name, owners: ids, samples, labels, classes, split } = await openDataset(dir);
  const positions = new Map(samples.map((sample, position) => [sample, position]));
  const place = (part: Part) => Uint32Array.from(split[part], (sample) => positions.get(sample) as number);
  const owners: EndToEndOwner[] = [];
  for (const [i, id] of ids.entries()) {
    const folder = folders?.[i] ?? join(dir, 'owners', id);
    const load = start === 'scratch' ? loadFreshOwner : loadTrainedOwner;
    const { owner, model, windows } = await load(engine, folder, classes.length, seed);
    const seen = new Map(owner.samples.map((sample, row) => [sample, row]));
    owners.push({ id, model, windows, rows: Int32Array.from(samples, (sample) => seen.get(sample) ?? -1) });
  }
  const [train, validation, test] = PARTS.map(place);
  return { name, owners, labels: { samples, labels, classes }, split: { train, validation, test } };
}

/** The paper's local model, untrained, on the owner's raw windows. */
async function loadFreshOwner(engine: Engine, folder: string, classes: number, seed: number) {
  const owner: OwnerData = await readOwnerFolder(folder);
  const { model: kind, width } = paperOwnerPreset;
  const shape = { length: owner.length, variates: owner.variates.length };
  const model = makeLocalModel(engine, shape, { kind, width, classes, seed: ownerSeed(seed, owner.id) });
  return { owner, model, windows: loadWindows(engine, owner, undefined) };
}
