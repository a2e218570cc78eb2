// [owner] Turns published traffic speeds (METR-LA, PEMS-BAY) into a data set: one owner per sensor, hourly windows.
import { basename, extname } from 'node:path';
import { readText } from '../../base/read-file.ts';
import { checkTarget } from '../../base/whole-directory.ts';
import { F3Error } from '../../errors.ts';
import { parseGraph } from '../../exchange/labels/graph-csv.ts';
import { chooseSplit } from '../dataset/choose-split.ts';
import { datasetTarget, writeDataset } from '../dataset/dataset-writer.ts';
import { clockTime } from './clock-time.ts';
import { findWindows, type GapRule } from './find-windows.ts';
import type { ImportReport, ProgressListener } from './import-report.ts';
import { formatRate } from './rate.ts';
import { readLocations } from './read-locations.ts';
import { readSensorCsv } from './read-sensor-csv.ts';
import type { SensorTable } from './sensor-table.ts';

/** Which traffic file to import. */
export interface TrafficImport {
  /** .h5 or .hdf5 from pandas, or .csv with a timestamp and one column per sensor. */
  file: string;
  out: string;
  /** A seed or a split file. */
  split: string;
  /** n×n CSV in the order of the sensors. */
  adjacency?: string;
  /** CSV of sensor_id, latitude and longitude. */
  locations?: string;
  /** HDF5 key of the frame. A file with one frame needs none. */
  key?: string;
  name?: string;
  gaps: GapRule;
  overwrite: boolean;
}

/** The classes of traffic data sets, in their order. */
export const TRAFFIC_CLASSES = ['calm', 'rush'];
const RUSH_HOURS = new Set([7, 8, 9, 16, 17, 18]);
const FIVE_MINUTES = { count: 12, seconds: 3600 };
const READINGS_PER_HOUR = 12;

/** Turns published traffic speeds into a data set: one owner per sensor, hourly windows. */
export async function importTraffic(options: TrafficImport, progress?: ProgressListener): Promise<ImportReport> {
  const { file, out, gaps, overwrite } = options;
  const source = basename(file);
  // The target is checked before anything is read, so that a mistake costs no waiting.
  checkTarget(out, datasetTarget(overwrite));
  progress?.(`reading ${source}`, 0, 1);
  const { table, key } = await readSensors(file, options.key);
  const { sensors, times, values } = table;
  const rule = { rate: FIVE_MINUTES, length: READINGS_PER_HOUR, gaps, formatTime: clockTime };
  const { numbers, rows, dropped } = findWindows(times, rule, source);
  if (rows.length === 0) throw new F3Error('F3_DATA_EMPTY', `${source}: must cover a whole hour, got none`);
  const samples = numbers.map((hour) => clockTime(hour * 3600));
  const labels = Int32Array.from(numbers, (hour) => (RUSH_HOURS.has(((hour % 24) + 24) % 24) ? 1 : 0));
  const split = await chooseSplit(options.split, samples);
  const { adjacency, locations } = options;
  const graph = adjacency && parseGraph(await readText(adjacency), sensors.length, `adjacency ${adjacency}`);
  const places = locations ? await readLocations(locations) : new Map();
  const card = {
    name: options.name ?? basename(file, extname(file)),
    classes: TRAFFIC_CLASSES,
    simulated: false,
    source: { kind: 'traffic', file: source, ...(key !== undefined && { key }) },
    overwrite,
  };
  await writeDataset(out, card, async (writer) => {
    for (const [sensor, id] of sensors.entries()) {
      const windows = sensorWindows(values, sensors.length, sensor, rows);
      await writer.addOwner({
        id,
        length: READINGS_PER_HOUR,
        variates: ['speed'],
        rate: formatRate(FIVE_MINUTES),
        place: places.get(id),
        samples,
        windows,
      });
      progress?.('writing owners', sensor + 1, sensors.length);
    }
    writer.setLabels(samples, labels);
    writer.setSplit(split);
    if (graph) writer.setGraph(graph);
  });
  const rush = labels.reduce((sum, label) => sum + label, 0);
  return { out, owners: sensors.length, samples: samples.length, classes: [samples.length - rush, rush], dropped };
}

async function readSensors(file: string, key: string | undefined): Promise<{ table: SensorTable; key?: string }> {
  if (/\.(h5|hdf5|hdf)$/i.test(file)) {
    const { readPandasHdf5 } = await import('./read-pandas-hdf5.ts'); // brings the HDF5 library
    const { key: found, ...table } = await readPandasHdf5(file, key);
    return { table, key: found };
  }
  return { table: await readSensorCsv(file) };
}

/** `values`: [time, sensor] → [window, time] of one sensor. */
function sensorWindows(values: Float32Array, sensors: number, sensor: number, rows: number[]): Float32Array {
  const windows = new Float32Array(rows.length * READINGS_PER_HOUR);
  for (const [window, row] of rows.entries()) {
    for (let step = 0; step < READINGS_PER_HOUR; step++) {
      windows[window * READINGS_PER_HOUR + step] = values[(row + step) * sensors + sensor];
    }
  }
  return windows;
}
