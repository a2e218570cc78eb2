// Where an experiment's data set lies: imported from a published file or simulated, once, under a name made of its content.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDataset } from '../data/dataset/dataset.ts';
import { F3Error } from '../errors.ts';
import type { DatasetName, ExperimentContext } from './experiment.ts';
import { isPaperData } from './paper-datasets.ts';

export interface FoundDataset {
  name: DatasetName;
  dir: string;
  simulated: boolean;
  /** Whether it is the data set that this name stands for, split as published; figures of others are not put on record. */
  isGenuine: boolean;
  /** Whether it is, besides, what the paper measured, and all of it. */
  isPapers: boolean;
  /** CSV of sensor positions, where there is one. */
  locations?: string;
  /** What is not as in the paper. */
  remarks: string[];
}

interface TrafficFiles {
  /** Files under these names are looked for; the first is needed. */
  speeds: string;
  split: string;
  adjacency: string;
  locations: string;
  /** Where the world finds it. */
  source: string;
  owners: number;
  samples: number;
}

const DCRNN = 'published with DCRNN (Li et al. 2018, github.com/liyaguang/DCRNN)';
const TRAFFIC: Partial<Record<DatasetName, TrafficFiles>> = {
  'metr-la': {
    ...{ speeds: 'metr-la.h5', split: 'metr-la-split.json', adjacency: 'metr-la-adjacency.csv' },
    ...{ locations: 'metr-la-locations.csv', source: `METR-LA, ${DCRNN}` },
    ...{ owners: 207, samples: 2856 },
  },
  'pems-bay-74': {
    ...{ speeds: 'pems-bay-74.h5', split: 'pems-bay-split.json', adjacency: 'pems-bay-74-adjacency.csv' },
    ...{ locations: 'pems-bay-locations.csv', source: `74 sensors of PEMS-BAY, ${DCRNN}` },
    ...{ owners: 74, samples: 4343 },
  },
};

/** Bump when the simulator or the import changes what it writes. */
const DATA_VERSION = 1;
const SPLIT_SEED = '1';
const GRID_SEED = 1;

export async function findDataset(name: DatasetName, context: ExperimentContext): Promise<FoundDataset> {
  const traffic = TRAFFIC[name];
  return traffic ? findTraffic(name, traffic, context) : simulate(name as 'pmu-b' | 'pmu-c', context);
}

async function findTraffic(
  name: DatasetName,
  files: TrafficFiles,
  { data, cache, progress, signal }: ExperimentContext,
): Promise<FoundDataset> {
  requireFile(name, data);
  const speeds = join(data, files.speeds);
  const optional = (file: string) => (existsSync(join(data, file)) ? join(data, file) : undefined);
  const [split, adjacency, locations] = [files.split, files.adjacency, files.locations].map(optional);
  const dir = join(cache, 'data', `${name}-${await contentKey([speeds, split, adjacency])}`);
  if (!existsSync(join(dir, 'dataset.json'))) {
    const { importTraffic } = await import('../data/import/import-traffic.ts');
    const request = { file: speeds, out: dir, name, gaps: 'error', overwrite: false } as const;
    const tell: typeof progress = (...stage) => {
      signal?.throwIfAborted();
      progress(...stage);
    };
    await unlessThere(dir, () =>
      importTraffic({ ...request, split: split ?? SPLIT_SEED, ...(adjacency && { adjacency }) }, tell),
    );
  }
  const { owners, samples } = await openDataset(dir);
  const hasSize = owners.length === files.owners && samples.length === files.samples;
  const found = `${owners.length} owners and ${samples.length} samples`;
  const remarks = [
    ...(hasSize
      ? []
      : [`${files.speeds} has ${found}, ${name} has ${files.owners} and ${files.samples}: this is another data set`]),
    ...(split ? [] : [`${files.split} was not found: the split is random (seed ${SPLIT_SEED}), not the fixed one`]),
    ...(name === 'pems-bay-74'
      ? ['74 of the 325 sensors of PEMS-BAY, so figures of the paper are for orientation and agreement is not judged']
      : []),
  ];
  const isGenuine = hasSize && split !== undefined;
  const isPapers = isGenuine && isPaperData(name);
  return { name, dir, simulated: false, isGenuine, isPapers, remarks, ...(locations && { locations }) };
}

/** Before the work: an experiment that runs after hours of others shall not find then that its file is missing. */
export function requireFile(name: DatasetName, data: string): void {
  const files = TRAFFIC[name];
  if (!files || existsSync(join(data, files.speeds))) return;
  const rule = `${files.speeds} must lie in ${data}`;
  const message = `data set ${name}: ${rule}, got no such file; fetch it (${files.source}) and put it there`;
  throw new F3Error('F3_REPRODUCE_DATA', message, { remedy: 'data' });
}

/** It was not there, and another command on the same cache may make it meanwhile: it is the same. */
async function unlessThere(dir: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!existsSync(join(dir, 'dataset.json'))) throw error;
  }
}

async function simulate(
  name: 'pmu-b' | 'pmu-c',
  { cache, progress, signal }: ExperimentContext,
): Promise<FoundDataset> {
  const dir = join(cache, 'data', `${name}-seed-${GRID_SEED}-v${DATA_VERSION}`);
  if (!existsSync(join(dir, 'dataset.json'))) {
    const { simulateGrid } = await import('../data/simulate/grid/simulate-grid.ts');
    const request = { preset: name, seed: GRID_SEED, out: dir, overwrite: false, ...(signal && { signal }) };
    await unlessThere(dir, () => simulateGrid(request, progress));
  }
  const remark = 'simulated: the paper’s PMU recordings are proprietary, so its figures are no target here';
  return { name, dir, simulated: true, isGenuine: true, isPapers: false, remarks: [remark] };
}

/** 12 digits that change when a file does. */
async function contentKey(files: readonly (string | undefined)[]): Promise<string> {
  const hash = createHash('sha256').update(`v${DATA_VERSION}`);
  for (const file of files) {
    hash.update(file ? 'file' : 'none');
    if (file) for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  }
  return hash.digest('hex').slice(0, 12);
}
