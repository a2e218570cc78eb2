// Finds an experiment's data set, or makes it once: it is imported from a published file or simulated, and kept under a name
// that changes with its content.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDataset } from '../data/dataset/dataset.ts';
import { readLocations } from '../data/import/read-locations.ts';
import { F3Error } from '../errors.ts';
import type { DatasetName, ExperimentContext } from './experiment.ts';
import { isMeasuredByPaper } from './paper-datasets.ts';

export interface FoundDataset {
  name: DatasetName;
  dir: string;
  simulated: boolean;
  /** Whether this is the data set that the name stands for, on its fixed split. Figures of others are not put on record. */
  isGenuine: boolean;
  /** Whether this is, besides, what the paper measured, and all of it. */
  isPaperData: boolean;
  /** CSV file of sensor positions, where there is one. */
  locations?: string | undefined;
  /** What is not as in the paper, in sentences for the report. */
  remarks: string[];
}

/** Names of published files, and what they must hold. Only the speeds are needed. */
interface TrafficFiles {
  speeds: string;
  split: string;
  adjacency: string;
  locations: string;
  /** Where the speeds were published. */
  source: string;
  owners: number;
  samples: number;
}

const DCRNN = 'published with DCRNN (Li et al. 2018, github.com/liyaguang/DCRNN)';
const TRAFFIC: Partial<Record<DatasetName, TrafficFiles>> = {
  'metr-la': {
    speeds: 'metr-la.h5',
    split: 'metr-la-split.json',
    adjacency: 'metr-la-adjacency.csv',
    locations: 'metr-la-locations.csv',
    source: `METR-LA, ${DCRNN}`,
    owners: 207,
    samples: 2856,
  },
  'pems-bay-74': {
    speeds: 'pems-bay-74.h5',
    split: 'pems-bay-split.json',
    adjacency: 'pems-bay-74-adjacency.csv',
    locations: 'pems-bay-locations.csv',
    source: `74 sensors of PEMS-BAY, ${DCRNN}`,
    owners: 74,
    samples: 4343,
  },
};

/** Raise this when the simulator or the import changes what it writes. */
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
  // A file that cannot be read shall stop the experiment before its first hour, not at its last figure.
  if (locations) await readLocations(locations);
  const dir = join(cache, 'data', `${name}-${await contentKey([speeds, split, adjacency])}`);
  if (!existsSync(join(dir, 'dataset.json'))) {
    const { importTraffic } = await import('../data/import/import-traffic.ts');
    const request = {
      file: speeds,
      out: dir,
      name,
      gaps: 'error',
      overwrite: false,
      ...(locations && { locations }),
    } as const;
    const report: typeof progress = (...stage) => {
      signal?.throwIfAborted();
      progress(...stage);
    };
    await makeDataset(dir, () =>
      importTraffic({ ...request, split: split ?? SPLIT_SEED, ...(adjacency && { adjacency }) }, report),
    );
  }
  const { owners, samples } = await openDataset(dir);
  const hasSize = owners.length === files.owners && samples.length === files.samples;
  const found = `${owners.length} owners and ${samples.length} samples`;
  const remarks = [
    ...(hasSize
      ? []
      : [`${files.speeds} has ${found}, ${name} has ${files.owners} and ${files.samples}: this is another data set.`]),
    ...(split ? [] : [`${files.split} was not found: the split is random (seed ${SPLIT_SEED}), not the fixed one.`]),
    ...(name === 'pems-bay-74'
      ? [
          'These are 74 of the 325 sensors of PEMS-BAY, so the paper’s figures are for orientation and agreement is not judged.',
        ]
      : []),
  ];
  const isGenuine = hasSize && split !== undefined;
  const isPaperData = isGenuine && isMeasuredByPaper(name);
  return { name, dir, simulated: false, isGenuine, isPaperData, remarks, locations };
}

/** Throws if a needed file is missing. Call it before any work, so that no experiment finds this out after hours of others. */
export function requireFile(name: DatasetName, data: string): void {
  const files = TRAFFIC[name];
  if (!files || existsSync(join(data, files.speeds))) return;
  const rule = `${files.speeds} must lie in ${data}`;
  const message = `data set ${name}: ${rule}, got no such file; fetch it (${files.source}) and put it there`;
  throw new F3Error('F3_REPRODUCE_DATA', message, { remedy: 'data' });
}

/** Makes a data set that was not there. Another command on the same cache may make the same one meanwhile. */
async function makeDataset(dir: string, make: () => Promise<unknown>): Promise<void> {
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
    await makeDataset(dir, () => simulateGrid(request, progress));
  }
  const remark =
    'The data is simulated: the paper’s PMU recordings are proprietary, so its figures are no target here.';
  return { name, dir, simulated: true, isGenuine: true, isPaperData: false, remarks: [remark] };
}

/** Twelve hexadecimal digits that change when a file does. */
async function contentKey(files: readonly (string | undefined)[]): Promise<string> {
  const hash = createHash('sha256').update(`v${DATA_VERSION}`);
  for (const file of files) {
    hash.update(file ? 'file' : 'none');
    if (file) for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  }
  return hash.digest('hex').slice(0, 12);
}
