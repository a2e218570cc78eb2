// Writes a tiny METR-LA: a week of a few sensors that slow down in rush hours, each on some days only.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RandomStream } from '../../src/core/random.ts';
import { writePandasHdf5 } from './write-pandas-hdf5.ts';

const RUSH_HOURS = [7, 8, 9, 16, 17, 18];

/** Writes metr-la.h5, adjacency and locations, as `f3 reproduce` looks for them; the split is random. */
export async function toyTraffic(dir: string, { sensors = 12, days = 7 } = {}): Promise<void> {
  const random = new RandomStream(5, 0);
  const steps = days * 288;
  const ids = Array.from({ length: sensors }, (_, i) => String(700_000 + i));
  const start = BigInt(Date.UTC(2012, 2, 1)) * 1_000_000n;
  const times = BigInt64Array.from({ length: steps }, (_, t) => start + BigInt(t) * 300_000_000_000n);
  const values = Float64Array.from({ length: steps * sensors }, (_, at) => {
    const [time, sensor] = [Math.floor(at / sensors), at % sensors];
    const isRush = RUSH_HOURS.includes(Math.floor(time / 12) % 24);
    const slows = (Math.floor(time / 288) + sensor) % 3 !== 0;
    return 60 + sensor - (isRush && slows ? 25 : 0) + 6 * random.normal();
  });
  await writePandasHdf5(join(dir, 'metr-la.h5'), { df: { sensors: ids, times, values } });
  const near = (i: number) => ids.map((_, j) => (Math.abs(i - j) === 1 ? 1 : 0)).join(',');
  writeFileSync(join(dir, 'metr-la-adjacency.csv'), `${ids.map((_, i) => near(i)).join('\n')}\n`);
  const rows = ids.map((id, i) => `${i},${id},${34 + i / 100},${-118 - (i % 3) / 100}`);
  writeFileSync(join(dir, 'metr-la-locations.csv'), `index,sensor_id,latitude,longitude\n${rows.join('\n')}\n`);
}
