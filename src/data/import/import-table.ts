// [owner] Turns a long table (one row per owner and time) into a data set of windows.
import { basename, extname } from 'node:path';
import { readText } from '../../base/read-file.ts';
import { checkTarget } from '../../base/whole-directory.ts';
import { F3Error } from '../../errors.ts';
import { parseGraph } from '../../exchange/labels/graph-csv.ts';
import { chooseSplit } from '../dataset/choose-split.ts';
import { datasetTarget, writeDataset } from '../dataset/dataset-writer.ts';
import { findWindows, type GapRule } from './find-windows.ts';
import type { ImportReport, ProgressListener } from './import-report.ts';
import { LabelVotes } from './label-votes.ts';
import { LongTable, type LongTableColumns, type TimeUnit } from './long-table.ts';
import { formatRate } from './rate.ts';
import { TableWindows } from './table-windows.ts';

/** Which table to import, and how to cut it into windows. */
export interface TableImport extends LongTableColumns {
  /** .csv, .tsv, .txt or .parquet */
  file: string;
  out: string;
  /** Readings per window (`12`), or its duration (`1h`), with which owners may differ in rate. */
  window: string;
  /** Sampling rate, e.g. `30Hz` or `12/h`. By default it is inferred from each owner's times. */
  rate?: string;
  /** Class names in order. By default they are the labels that occur. */
  classes?: string[];
  timeUnit: TimeUnit;
  /** A seed or a split file. */
  split: string;
  /** n×n CSV in the order in which owners first appear. */
  adjacency?: string;
  name?: string;
  gaps: GapRule;
  overwrite: boolean;
}

/** Turns a long table (owner, time, values, label) into a data set. */
export async function importTable(options: TableImport, progress?: ProgressListener): Promise<ImportReport> {
  // The target is checked before anything is read, so that a mistake costs no waiting.
  checkTarget(options.out, datasetTarget(options.overwrite));
  progress?.(`reading ${basename(options.file)}`, 0, 1);
  const windows = new TableWindows(options.window, options.rate);
  const table = await LongTable.open(options);
  try {
    return await importRecords(table, windows, options, progress);
  } finally {
    table.close();
  }
}

async function importRecords(
  table: LongTable,
  tableWindows: TableWindows,
  options: TableImport,
  progress: ProgressListener | undefined,
): Promise<ImportReport> {
  const { file, out, gaps, overwrite, adjacency } = options;
  const { classes, owners } = table;
  const graph = adjacency && parseGraph(await readText(adjacency), owners.length, `adjacency ${adjacency}`);
  const card = {
    name: options.name ?? basename(file, extname(file)),
    classes,
    simulated: false,
    source: { kind: 'table', file: basename(file), window: options.window, gaps },
    overwrite,
  };
  const votes = new LabelVotes(classes.length);
  let dropped = 0;
  let labels: Int32Array = new Int32Array();
  await writeDataset(out, card, async (writer) => {
    let done = 0;
    for await (const record of table.records()) {
      const { rate, length } = tableWindows.windowOf(record);
      const rule = { rate, length, gaps, formatTime: table.formatTime };
      const found = findWindows(record.times, rule, `owner ${record.id}`);
      const samples = found.numbers.map((number) => table.formatTime((number * length * rate.seconds) / rate.count));
      const width = record.variates.length;
      const windows = new Float32Array(samples.length * length * width);
      for (const [i, row] of found.rows.entries()) {
        windows.set(record.values.subarray(row * width, (row + length) * width), i * length * width);
        votes.add(found.numbers[i], samples[i], record.labels.subarray(row, row + length));
      }
      const { id, variates } = record;
      await writer.addOwner({ id, length, variates, rate: formatRate(rate), samples, windows });
      dropped += found.dropped;
      progress?.('writing owners', ++done, owners.length);
    }
    const counted = votes.count();
    if (counted.samples.length === 0) {
      throw new F3Error('F3_DATA_EMPTY', `${file}: must hold a complete window of ${options.window}, got none`);
    }
    labels = counted.labels;
    writer.setLabels(counted.samples, labels);
    const split = await chooseSplit(options.split, counted.samples);
    writer.setSplit(split);
    if (graph) writer.setGraph(graph);
  });
  const classCounts = classes.map((_, index) => labels.filter((label) => label === index).length);
  return { out, owners: owners.length, samples: labels.length, classes: classCounts, dropped };
}
