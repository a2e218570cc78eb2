// Remarks in the configs: what we make of the figures, who sees a remark, and which differences from the paper it explains.
import type { DatasetName } from './experiment.ts';

/** A plain string is for all readers. */
export type Remark = string | BoundRemark;

interface BoundRemark {
  text: string;
  /** The remark is for readers who see all of these rows; by default it is for all readers. */
  rows?: string[];
  /** Figures (`<row>/<score>`) whose difference from the paper this is the cause of. */
  explains?: string[];
}

/** Data set → its remarks; those under `all` hold for every data set. */
export type Remarks = Partial<Record<DatasetName | 'all', Remark[]>>;

/** The texts that a reader of `dataset` sees; `isShown` says whether a row is in the table. */
export function remarksOn(remarks: Remarks, dataset: DatasetName, isShown: (row: string) => boolean): string[] {
  return boundRemarks(remarks, dataset)
    .filter(({ rows = [] }) => rows.every(isShown))
    .map(({ text }) => text);
}

/** Why the figure under `key` is not the paper's, where a remark says so. */
export function causeOf(remarks: Remarks, dataset: DatasetName, key: string): string | undefined {
  return boundRemarks(remarks, dataset).find(({ explains = [] }) => explains.includes(key))?.text;
}

function boundRemarks(remarks: Remarks, dataset: DatasetName): BoundRemark[] {
  const all = [...(remarks.all ?? []), ...(remarks[dataset] ?? [])];
  return all.map((remark) => (typeof remark === 'string' ? { text: remark } : remark));
}
