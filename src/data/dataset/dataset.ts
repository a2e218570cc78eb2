// [owner] Reads a data set: its card, labels, split and graph at once, its owners one by one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isNameList } from '../../base/name-list.ts';
import { readText, unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { parseGraph } from '../../exchange/labels/graph-csv.ts';
import { parseSplit, type Split } from '../../exchange/labels/split.ts';
import { DATASET_FORMAT, DATASET_VERSION, type DatasetCard, type OwnerData } from './dataset-format.ts';
import { readLabels, readOwnerFolder } from './owner-folder.ts';

export type { OwnerData } from './dataset-format.ts';
export { readOwnerFolder } from './owner-folder.ts';

/** A data set that was opened: card, labels, split and graph at once, owners one by one. */
export interface Dataset {
  dir: string;
  name: string;
  classes: string[];
  owners: string[];
  simulated: boolean;
  source: Record<string, unknown>;
  /** All samples, in the order of labels.arrow. */
  samples: string[];
  /** [sample]: index into `classes` */
  labels: Int32Array;
  split: Split;
  /** [owner, owner], where the data set has a graph. */
  graph: Float64Array | undefined;
  /** Reads one owner's windows and labels. Each call reads the files again. */
  owner(id: string): Promise<OwnerData>;
}

/** Opens a data set. Its owners are read when they are asked for. */
export async function openDataset(dir: string): Promise<Dataset> {
  const { name, classes, owners, simulated, source, samples: count } = await readCard(join(dir, 'dataset.json'));
  const labelsFile = join(dir, 'labels.arrow');
  const { samples, labels } = await readLabels(labelsFile);
  if (samples.length !== count) {
    throw formatError(labelsFile, `must have the ${count} samples of dataset.json`, samples.length);
  }
  const splitFile = join(dir, 'split.json');
  const split = parseSplit(await readText(splitFile), splitFile, samples);
  const graphFile = join(dir, 'graph.csv');
  const hasGraph = existsSync(graphFile);
  const graph = hasGraph ? parseGraph(await readText(graphFile), owners.length, graphFile) : undefined;
  const owner = async (id: string): Promise<OwnerData> => {
    if (!owners.includes(id)) {
      throw new F3Error('F3_DATA_OWNER', `data set ${dir}: owner must be one of ${shortList(owners)}, got ${id}`);
    }
    const data = await readOwnerFolder(join(dir, 'owners', id));
    if (data.id !== id) throw formatError(join(dir, 'owners', id, 'windows.arrow'), `f3.owner must be ${id}`, data.id);
    return data;
  };
  return { dir, name, classes, owners, simulated, source, samples, labels, split, graph, owner };
}

async function readCard(file: string): Promise<DatasetCard> {
  const text = await readText(file);
  let card: Partial<DatasetCard>;
  try {
    card = JSON.parse(text) as Partial<DatasetCard>;
  } catch (cause) {
    throw unreadable(file, cause, 'must be JSON');
  }
  const found = `${card.format} ${card.version}`;
  const expected = `${DATASET_FORMAT} ${DATASET_VERSION}`;
  if (found !== expected) throw formatError(file, `format and version must be ${expected}`, found);
  const { owners, classes, name = '', samples = 0, simulated = false, source = {} } = card;
  if (!isNameList(owners)) throw formatError(file, 'owners must be a list of names', JSON.stringify(owners));
  if (!isNameList(classes)) throw formatError(file, 'classes must be a list of names', JSON.stringify(classes));
  return { format: DATASET_FORMAT, version: DATASET_VERSION, name, classes, owners, samples, simulated, source };
}

const shortList = (names: readonly string[]): string =>
  names.length > 8 ? `${names.slice(0, 8).join(', ')}, … (${names.length} in all)` : names.join(', ');
const formatError = (file: string, rule: string, value: unknown): F3Error =>
  new F3Error('F3_DATA_FORMAT', `${file}: ${rule}, got ${value}`);
