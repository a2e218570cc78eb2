// [owner] Simulates a data set of PMU windows around grid events, one PMU per owner.

import type { Coordinates } from '../../../exchange/coordinates.ts';
import { randomSplit } from '../../../exchange/labels/sample-parts.ts';
import { type DatasetWriter, writeDataset } from '../../dataset/dataset-writer.ts';
import type { ProgressListener } from '../../import/import-report.ts';
import { EVENT_CLASSES } from './events/events.ts';
import { type GridOptions, planGrid } from './grid-presets.ts';
import { describeGrid, distanceTable, eventLines, shareOnEvent } from './grid-truth.ts';
import type { Bus } from './network/grid-topology.ts';
import { type SimulatedSamples, simulateSamples } from './simulate-samples.ts';

/** Which grid to simulate, and where to write it. */
export interface SimulateGridOptions extends GridOptions {
  out: string;
  overwrite?: boolean;
  /** Number of threads, by default one per core. The data do not depend on it. */
  workers?: number;
  /** Ends the simulation early, and nothing is written. */
  signal?: AbortSignal;
}

/** What a simulation wrote. */
export interface GridReport {
  /** The data set's directory. */
  out: string;
  owners: number;
  samples: number;
  /** Samples of each class, in the order of `classNames`. */
  classes: number[];
  classNames: string[];
  /** Share of (sample, owner) pairs without a window. */
  missing: number;
  /** By class: share of the windows that the z-score placed on the event. */
  onEvent: number[];
  seconds: number;
}

/** Simulates measuring units around events of a power grid and writes them as a data set. */
export async function simulateGrid(options: SimulateGridOptions, onProgress?: ProgressListener): Promise<GridReport> {
  const started = performance.now();
  const { out, overwrite = false, workers, signal } = options;
  const plan = planGrid(options);
  const { owners, samples, classCounts: classes } = plan;
  const classNames = [...EVENT_CLASSES];
  const card = {
    name: `grid-${plan.preset}`,
    classes: classNames,
    simulated: true,
    source: { kind: 'grid', ...plan, units: 'per unit', note: 'classes are skewed on purpose' },
    overwrite,
  };
  let rows = 0;
  let onEvent: number[] = [];
  await writeDataset(out, card, async (writer) => {
    onProgress?.('simulating events', 0, samples);
    const onSample = (done: number) => onProgress?.('simulating events', done, samples);
    const simulated = await simulateSamples(plan, { workers, onSample, signal });
    const ids = Array.from({ length: samples }, (_, sample) => `s${String(sample).padStart(6, '0')}`);
    for (let owner = 0; owner < owners; owner++) {
      signal?.throwIfAborted();
      rows += await writeOwner(writer, ids, simulated, owner);
      onProgress?.('writing owners', owner + 1, owners);
    }
    writer.setLabels(ids, simulated.labels);
    writer.setSplit(randomSplit(ids, plan.seed));
    writer.writeTruth('grid.json', describeGrid(simulated.grid, simulated.pmus));
    writer.writeTruth('events.jsonl', eventLines(ids, simulated));
    writer.writeTruth('electrical-distance.csv', distanceTable(simulated.grid, simulated.pmus));
    onEvent = shareOnEvent(simulated);
  });
  const seconds = (performance.now() - started) / 1000;
  return { out, owners, samples, classes, classNames, missing: 1 - rows / (owners * samples), onEvent, seconds };
}

/** Writes the windows that one owner has; returns how many. */
async function writeOwner(
  writer: DatasetWriter,
  ids: readonly string[],
  { grid, pmus, windows, isPresent }: SimulatedSamples,
  owner: number,
): Promise<number> {
  const { owner: id, rate, variates, bus } = pmus[owner];
  const seen = Array.from(ids.keys()).filter((sample) => isPresent[sample * pmus.length + owner] === 1);
  const width = windows[owner].length / ids.length;
  const kept = new Float32Array(seen.length * width);
  seen.forEach((sample, row) => {
    kept.set(windows[owner].subarray(sample * width, (sample + 1) * width), row * width);
  });
  const samples = seen.map((sample) => ids[sample]);
  await writer.addOwner({
    id,
    length: width / variates.length,
    variates,
    rate: `${rate} Hz`,
    place: placeOf(grid.buses[bus]),
    samples,
    windows: kept,
  });
  return seen.length;
}

/** Kilometres of a degree of latitude. */
const DEGREE_KM = 111.2;
/** The south-western corner of the grid, on the plains of North America: it has to be somewhere to be on a map. */
const CORNER: Coordinates = { latitude: 35, longitude: -103 };

/** Where a bus would be, to a kilometre. */
function placeOf({ x, y }: Bus): Coordinates {
  const latitude = CORNER.latitude + y / DEGREE_KM;
  const longitude = CORNER.longitude + x / (DEGREE_KM * Math.cos((latitude * Math.PI) / 180));
  const rounded = (degrees: number) => Math.round(degrees * 100) / 100;
  return { latitude: rounded(latitude), longitude: rounded(longitude) };
}
