// [owner] Reads the common CSV of traffic data: a timestamp, then one column per sensor.

import { TableFile } from '../../base/table-file.ts';
import { F3Error } from '../../errors.ts';
import { notFiniteError, type SensorTable } from './sensor-table.ts';

export async function readSensorCsv(file: string): Promise<SensorTable> {
  const table = await TableFile.open(file);
  try {
    return await readTable(table);
  } finally {
    table.close();
  }
}

async function readTable(table: TableFile): Promise<SensorTable> {
  const { file, relation } = table;
  const sensors = table.columns.slice(1).map(({ name }) => name);
  if (sensors.length === 0) {
    throw new F3Error('F3_DATA_COLUMN', `${file}: must have a timestamp and a column per sensor, got one column`);
  }
  const readings = sensors.map((_, i) => `coalesce(try_cast(c${i + 1} AS FLOAT), 'nan'::FLOAT)`).join(', ');
  const clock = `coalesce(epoch_us(try_cast(c0 AS TIMESTAMP))::DOUBLE / 1e6, 'nan'::DOUBLE)`;
  const pieces: { times: Float64Array; values: Float32Array }[] = [];
  let rows = 0;
  for await (const chunk of table.chunks(`SELECT ${clock}, ${readings} FROM ${relation}`)) {
    const values = new Float32Array(chunk.rowCount * sensors.length);
    for (let sensor = 0; sensor < sensors.length; sensor++) {
      const column = chunk.getColumnValues(sensor + 1) as number[];
      for (let row = 0; row < column.length; row++) values[row * sensors.length + sensor] = column[row];
    }
    pieces.push({ times: Float64Array.from(chunk.getColumnValues(0) as number[]), values });
    rows += chunk.rowCount;
  }
  const times = new Float64Array(rows);
  const values = new Float32Array(rows * sensors.length);
  let row = 0;
  for (const piece of pieces) {
    times.set(piece.times, row);
    values.set(piece.values, row * sensors.length);
    row += piece.times.length;
  }
  await checkCells(table, sensors, times, values);
  return { sensors, times, values };
}

/** Checks that every time and reading is a number. The error shows the text of a cell that is not. */
async function checkCells(
  table: TableFile,
  sensors: string[],
  times: Float64Array,
  values: Float32Array,
): Promise<void> {
  const cell = async (row: number, column: number): Promise<string> => {
    const [[text]] = await table.rows(`SELECT c${column} FROM ${table.relation} LIMIT 1 OFFSET ${row}`);
    return text === null ? 'an empty cell' : JSON.stringify(text);
  };
  const badTime = times.findIndex((time) => !Number.isFinite(time));
  if (badTime >= 0) {
    const found = `${await cell(badTime, 0)} (row ${badTime + 1})`;
    throw new F3Error('F3_DATA_COLUMN', `${table.file}: the first column must hold timestamps, got ${found}`);
  }
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return;
  const [row, sensor] = [Math.floor(bad / sensors.length), bad % sensors.length];
  throw notFiniteError(table.file, sensors[sensor], times[row], await cell(row, sensor + 1));
}
