// [owner] Reads where sensors are, as published beside METR-LA and PEMS-BAY.
import { readText } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { COORDINATES_RULE, type Coordinates, isCoordinates } from '../../exchange/coordinates.ts';

const COLUMNS = ['sensor_id', 'latitude', 'longitude'];

/** Reads a CSV file whose header names sensor_id, latitude and longitude, or which has them in this order without one. */
export async function readLocations(file: string): Promise<Map<string, Coordinates>> {
  const lines = (await readText(file)).trim().split(/\r?\n/);
  const names = lines[0].split(',').map((name) => name.trim());
  const hasHeader = names.includes('sensor_id');
  const [id, latitude, longitude] = COLUMNS.map((name, i) => (hasHeader ? names.indexOf(name) : i));
  return new Map(
    lines.slice(hasHeader ? 1 : 0).map((line, row) => {
      const cells = line.split(',').map((cell) => cell.trim());
      const place = { latitude: degrees(cells[latitude]), longitude: degrees(cells[longitude]) };
      if (cells[id] && isCoordinates(place)) return [cells[id], place];
      const found = `${JSON.stringify(line.slice(0, 80))} (line ${row + (hasHeader ? 2 : 1)})`;
      throw new F3Error('F3_DATA_FORMAT', `${file}: sensor_id, then place, which ${COORDINATES_RULE}, got ${found}`);
    }),
  );
}

/** An empty cell is no zero. */
const degrees = (cell: string | undefined): number => (cell ? Number(cell) : Number.NaN);
