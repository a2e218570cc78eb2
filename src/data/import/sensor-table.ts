// [owner] Readings of many sensors at common times, the form in which traffic data is published.
import { F3Error } from '../../errors.ts';
import { clockTime } from './clock-time.ts';

export interface SensorTable {
  sensors: string[];
  /** [time]: seconds since the epoch on the local clock */
  times: Float64Array;
  /** [time, sensor] */
  values: Float32Array;
}

/** Error for a reading that is no finite number. */
export function notFiniteError(file: string, sensor: string, seconds: number, value: string): F3Error {
  const place = `sensor ${sensor} at ${clockTime(seconds)}`;
  const hint = 'write 0 where a reading is missing';
  return new F3Error(
    'F3_DATA_NOT_FINITE',
    `${file}: readings must be finite numbers, got ${value} (${place}); ${hint}`,
  );
}
