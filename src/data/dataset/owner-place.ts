// [owner] Where an owner is: place.json of its folder, which stays there unless the owner tells it.
import { readText, unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { COORDINATES_RULE, type Coordinates, isCoordinates } from '../../exchange/coordinates.ts';

export const PLACE_FILE = 'place.json';

export const formatPlace = ({ latitude, longitude }: Coordinates): string =>
  `${JSON.stringify({ latitude, longitude })}\n`;

/** Reads a place.json. */
export async function readPlaceFile(file: string): Promise<Coordinates> {
  const text = await readText(file);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw unreadable(file, cause, 'must be JSON of latitude and longitude');
  }
  if (isCoordinates(found)) return { latitude: found.latitude, longitude: found.longitude };
  throw new F3Error('F3_DATA_FORMAT', `${file}: ${COORDINATES_RULE}, got ${text.trim().slice(0, 80)}`);
}
