// [owner] Reads a pandas frame of fixed format from HDF5, the form in which METR-LA and PEMS-BAY are published.
import { Dataset, File, type Group, ready } from 'h5wasm/node';
import { checkReadable, unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { notFiniteError, type SensorTable } from './sensor-table.ts';

const ROWS_AT_ONCE = 4096;
const TICKS_PER_SECOND: Record<string, number> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 };

/** `key` names the frame; a file with one frame needs none. */
export async function readPandasHdf5(file: string, key?: string): Promise<SensorTable & { key: string }> {
  const module = await ready;
  await checkReadable(file);
  // Without this handler, HDF5 prints its error stack and carries on.
  module.activate_throwing_error_handler();
  let root: File | undefined;
  try {
    root = new File(file, 'r');
    const frames = root.keys().filter((name) => attribute(root?.get(name), 'pandas_type') === 'frame');
    const chosen = chooseFrame(root, frames, file, key);
    return { ...readFrame(root.get(chosen) as Group, file), key: chosen };
  } catch (error) {
    if (error instanceof F3Error) throw error;
    const reason = (error as Error).message
      .match(/minor: .*/g)
      ?.at(-1)
      ?.slice('minor: '.length);
    throw unreadable(file, new Error(reason ?? (error as Error).message), 'must be an HDF5 file');
  } finally {
    root?.close();
    module.deactivate_throwing_error_handler();
  }
}

function chooseFrame(root: File, frames: string[], file: string, key: string | undefined): string {
  if (key !== undefined && frames.includes(key)) return key;
  if (key === undefined && frames.length === 1) return frames[0];
  const keys = root.keys().map((name) => {
    const type = attribute(root.get(name), 'pandas_type');
    return frames.includes(name) ? name : `${name} (${type ?? 'not from pandas'})`;
  });
  const rule = `key must name a pandas frame of fixed format, one of ${keys.join(', ') || 'none at all'}`;
  throw new F3Error('F3_DATA_KEY', `${file}: ${rule}; got ${key ?? 'none'}`);
}

function readFrame(frame: Group, file: string): SensorTable {
  const part = (name: string): Dataset => {
    const found = frame.get(name);
    if (found instanceof Dataset) return found;
    throw new F3Error('F3_DATA_UNREADABLE', `${file}: frame ${frame.path} must have ${name}, got none`);
  };
  const sensors = Array.from(part('axis0').value as ArrayLike<unknown>, String);
  const times = readTimes(part('axis1'), file);
  const column = new Map(sensors.map((sensor, i) => [sensor, i]));
  const values = new Float32Array(times.length * sensors.length);
  // pandas stores columns of one type as one block [time, column].
  for (let block = 0; block < Number(attribute(frame, 'nblocks') ?? 1); block++) {
    const items = Array.from(part(`block${block}_items`).value as ArrayLike<unknown>, (item) => String(item));
    const target = items.map((item) => column.get(item) as number);
    const stored = part(`block${block}_values`);
    for (let row = 0; row < times.length; row += ROWS_AT_ONCE) {
      const numbers = stored.slice([[row, Math.min(row + ROWS_AT_ONCE, times.length)], []]) as Float64Array;
      for (let i = 0; i < numbers.length; i++) {
        const time = row + Math.floor(i / items.length);
        const sensor = target[i % items.length];
        const value = Number(numbers[i]);
        if (!Number.isFinite(value)) throw notFiniteError(file, sensors[sensor], times[time], String(value));
        values[time * sensors.length + sensor] = value;
      }
    }
  }
  return { sensors, times, values };
}

/** The index in seconds. pandas stores ticks since the epoch, nanoseconds unless it says otherwise. */
function readTimes(index: Dataset, file: string): Float64Array {
  const kind = String(attribute(index, 'kind'));
  const unit = /^datetime64(?:\[(\w+)\])?$/.exec(kind);
  const zone = attribute(index, 'tz');
  if (!unit || zone !== undefined) {
    const found = unit ? `times of zone ${zone}` : kind;
    throw new F3Error('F3_DATA_COLUMN', `${file}: the frame's index must be local clock times, got ${found}`);
  }
  const ticks = TICKS_PER_SECOND[unit[1] ?? 'ns'];
  return Float64Array.from(index.value as BigInt64Array, (tick) => Number(tick) / ticks);
}

function attribute(entity: unknown, name: string): unknown {
  const { attrs } = entity as Group | Dataset;
  return attrs?.[name]?.value ?? undefined;
}
