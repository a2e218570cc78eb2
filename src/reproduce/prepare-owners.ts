// Pre-trains the owners of a data set in one of the variants and writes their bundles, once; they are kept under a name
// that changes with the data and the options.
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from '../base/sha256.ts';
import { Engine } from '../core/engine/engine.ts';
import { openDataset } from '../data/dataset/dataset.ts';
import { embedOwner } from '../embed/embed-owner.ts';
import { type OwnerTrainingOptions, readModelCard } from '../embed/owner-model.ts';
import { trainAllOwners } from '../embed/train-all-owners.ts';
import { trainCommonModel } from '../embed/train-owner.ts';
import { writeBundle } from '../exchange/bundle/bundle-file.ts';
import type { ExperimentContext } from './experiment.ts';
import type { FoundDataset } from './find-dataset.ts';
import { type OwnerVariant, type OwnerVariantName, ownerVariants } from './owner-variants.ts';

export interface PreparedOwners {
  /** Folders of the owners with their models, in the data set's order. */
  folders: string[];
  /** Folder of the owners' bundles, `<owner>.arrow`. */
  bundles: string;
  /** What training took on one thread each, added up over owners. */
  seconds: number;
}

export function prepareOwners(
  dataset: FoundDataset,
  name: OwnerVariantName,
  context: ExperimentContext,
): Promise<PreparedOwners> {
  return prepareVariant(dataset, name, ownerVariants[name], context);
}

/**
 * The same for a variant that has no name of its own: `label` stands in the name of its folder. Owners under a shield go on from
 * the models of `before`, which were trained without it.
 */
export async function prepareVariant(
  dataset: FoundDataset,
  label: string,
  variant: OwnerVariant,
  context: ExperimentContext,
  before?: PreparedOwners,
): Promise<PreparedOwners> {
  const { owners } = await openDataset(dataset.dir);
  const options = owners.map((_, i) => variant.options(i));
  const key = sha256(JSON.stringify([basename(dataset.dir), variant.common ?? false, options])).slice(0, 12);
  const dir = join(context.cache, 'owners', `${dataset.name}-${label}-${key}`);
  const folders = owners.map((owner) => join(dir, 'owners', owner));
  const bundles = join(dir, 'bundles');
  if (existsSync(bundles)) return { folders, bundles, seconds: await trainingSeconds(folders, variant) };
  for (const [i, owner] of owners.entries()) {
    linkOwner(join(dataset.dir, 'owners', owner), folders[i]);
    if (before) copyModel(before.folders[i], folders[i]);
  }
  await train(folders, options, variant, `training owners (${label})`, context);
  await embed(folders, bundles, context);
  return { folders, bundles, seconds: await trainingSeconds(folders, variant) };
}

/** Adds up what the cards of the models say. A common model has its card with every owner and counts once. */
async function trainingSeconds(folders: string[], { common = false }: OwnerVariant): Promise<number> {
  let sum = 0;
  for (const folder of common ? folders.slice(0, 1) : folders) sum += (await readModelCard(folder))?.seconds ?? 0;
  return sum;
}

/** Gives an owner a folder that shares windows and labels with the data set; the model will be the folder's own. */
function linkOwner(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of ['windows.arrow', 'labels.arrow']) {
    const target = join(to, file);
    if (existsSync(target)) continue;
    try {
      linkSync(join(from, file), target);
    } catch {
      copyFileSync(join(from, file), target); // a link cannot lead to another file system
    }
  }
}

/** The card comes last, since it says that the model is there. A folder that has one keeps it. */
function copyModel(from: string, to: string): void {
  if (existsSync(join(to, 'model.json'))) return;
  for (const file of ['model.safetensors', 'model.json']) copyFileSync(join(from, file), join(to, file));
}

async function train(
  folders: string[],
  options: OwnerTrainingOptions[],
  variant: OwnerVariant,
  stage: string,
  { progress, threads, signal }: ExperimentContext,
): Promise<void> {
  if (variant.common) {
    if ((await readModelCard(folders[0])) && (await readModelCard(folders[folders.length - 1]))) return;
    const engine = new Engine({ threads });
    const onEpoch = (epoch: number) => progress(stage, epoch, options[0].epochs);
    await trainCommonModel(engine, folders, options[0], { onEpoch, signal }).finally(() => engine.dispose());
    return;
  }
  // Owners with the same options are trained together, one per core.
  const groups = Map.groupBy(folders.keys(), (i) => JSON.stringify(options[i]));
  let before = 0;
  for (const group of groups.values()) {
    await trainAllOwners(
      group.map((i) => folders[i]),
      {
        options: options[group[0]],
        signal,
        threads,
        onProgress: ({ done }) => progress(stage, before + done, folders.length),
      },
    );
    before += group.length;
  }
}

/** Writes all bundles under another name and renames their folder when it is whole. */
async function embed(folders: string[], bundles: string, { progress, signal }: ExperimentContext): Promise<void> {
  const temporary = `${bundles}.${process.pid}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  const engine = new Engine({ threads: 1 });
  try {
    for (const [i, folder] of folders.entries()) {
      signal?.throwIfAborted();
      const embedded = await embedOwner(engine, folder);
      writeBundle(join(temporary, `${embedded.owner}.arrow`), { ...embedded, sampleType: 'text' });
      progress('embedding', i + 1, folders.length);
    }
    // Another command on the same cache may have been faster; its bundles are the same.
    if (!existsSync(bundles)) renameSync(temporary, bundles);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    await engine.dispose();
  }
}
