// Writes a frame to HDF5 the way pandas does in its fixed format, for tests.
import { File, ready } from 'h5wasm/node';

export interface PandasFrame {
  sensors: string[] | BigInt64Array;
  /** Nanoseconds since the epoch. */
  times: BigInt64Array;
  /** [time, sensor] */
  values: Float64Array;
  /** Columns of each block; by default one block with all. */
  blocks?: number[][];
  attributes?: Record<string, string>;
  indexAttributes?: Record<string, string>;
}

export async function writePandasHdf5(path: string, frames: Record<string, PandasFrame>): Promise<void> {
  await ready;
  const file = new File(path, 'w');
  for (const [key, frame] of Object.entries(frames)) {
    const { sensors, times, values } = frame;
    const group = file.create_group(key);
    const rows = times.length;
    const blocks = frame.blocks ?? [Array.from({ length: sensors.length }, (_, i) => i)];
    for (const [name, value] of Object.entries({ pandas_type: 'frame', ...frame.attributes })) {
      group.create_attribute(name, value);
    }
    group.create_attribute('nblocks', blocks.length);
    group.create_dataset({ name: 'axis0', data: sensors });
    const index = group.create_dataset({ name: 'axis1', data: times });
    for (const [name, value] of Object.entries({ kind: 'datetime64', ...frame.indexAttributes })) {
      index.create_attribute(name, value);
    }
    for (const [b, columns] of blocks.entries()) {
      const items = Array.isArray(sensors)
        ? columns.map((c) => sensors[c])
        : BigInt64Array.from(columns, (c) => sensors[c]);
      const data = Float64Array.from(
        { length: rows * columns.length },
        (_, i) => values[Math.floor(i / columns.length) * sensors.length + columns[i % columns.length]],
      );
      group.create_dataset({ name: `block${b}_items`, data: items });
      group.create_dataset({ name: `block${b}_values`, data, shape: [rows, columns.length] });
    }
  }
  file.close();
}
