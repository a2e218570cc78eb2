// [owner] What a data set holds: counts, missing share and the mean window of every owner.

import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import type { ProgressListener } from '../import/import-report.ts';
import { openDataset } from './dataset.ts';
import type { OwnerData } from './dataset-format.ts';

/** What an owner of a data set holds. */
export interface OwnerInfo {
  id: string;
  windows: number;
  length: number;
  variates: string[];
  rate: string;
  /** Share of the samples that this owner did not see. */
  missing: number;
  /** [time]: the first variate averaged over windows. For windows of one step, [variate]: all of them. */
  meanSignal: number[];
}

/** What a data set holds, in counts and shares. */
export interface DatasetInfo {
  name: string;
  owners: number;
  samples: number;
  /** Samples of each class. */
  classes: number[];
  classNames: string[];
  /** Share of all owner–sample pairs without a window. */
  missing: number;
  /** Share of readings that are exactly zero, which is how METR-LA marks a missing one. */
  zeros: number;
  split: Record<Part, number>;
  graph: boolean;
  simulated: boolean;
  perOwner: OwnerInfo[];
}

/** Reads a data set to its end and counts what it holds. */
export async function describeDataset(dir: string, progress?: ProgressListener): Promise<DatasetInfo> {
  const dataset = await openDataset(dir);
  const { name, owners, samples, classes, labels, split, graph, simulated } = dataset;
  const perOwner: OwnerInfo[] = [];
  let [readings, zeros, windows] = [0, 0, 0];
  for (const id of owners) {
    const owner = await dataset.owner(id);
    perOwner.push(describeOwner(owner, samples.length));
    for (const value of owner.windows) if (value === 0) zeros++;
    readings += owner.windows.length;
    windows += owner.samples.length;
    progress?.('reading owners', perOwner.length, owners.length);
  }
  return {
    name,
    owners: owners.length,
    samples: samples.length,
    classes: classes.map((_, index) => labels.reduce((sum, label) => sum + (label === index ? 1 : 0), 0)),
    classNames: classes,
    missing: 1 - windows / (owners.length * samples.length),
    zeros: readings === 0 ? 0 : zeros / readings,
    split: Object.fromEntries(PARTS.map((part) => [part, split[part].length])) as Record<Part, number>,
    graph: graph !== undefined,
    simulated,
    perOwner,
  };
}

function describeOwner(owner: OwnerData, samples: number): OwnerInfo {
  const { id, length, variates, rate } = owner;
  const windows = owner.samples.length;
  return { id, windows, length, variates, rate, missing: 1 - windows / samples, meanSignal: meanSignal(owner) };
}

function meanSignal({ windows, length, variates, samples }: OwnerData): number[] {
  const width = length * variates.length;
  const sums = new Float64Array(width);
  for (let i = 0; i < windows.length; i++) sums[i % width] += windows[i];
  const means = Array.from(sums, (sum) => sum / Math.max(1, samples.length));
  return length === 1 ? means : means.filter((_, i) => i % variates.length === 0);
}
