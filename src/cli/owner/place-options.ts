// Where an owner says it is: `34.15,-118.3`, or the place.json of its folder in a data set.
import { existsSync } from 'node:fs';
import { F3Error } from '../../errors.ts';
import { COORDINATES_RULE, type Coordinates, isCoordinates } from '../../exchange/coordinates.ts';

export const AT_FLAG = '--at <where>';

export const AT_TEXT = 'where we are, for the map: LATITUDE,LONGITUDE in degrees, or the place.json of a data set';

export async function placeFrom(text: string): Promise<Coordinates> {
  const numbers = /^\s*([+-]?[\d.]+)\s*,\s*([+-]?[\d.]+)\s*$/.exec(text);
  if (!numbers && existsSync(text)) {
    const { readPlaceFile } = await import('../../data/dataset/owner-place.ts');
    return readPlaceFile(text);
  }
  const place = { latitude: Number(numbers?.[1]), longitude: Number(numbers?.[2]) };
  if (isCoordinates(place)) return place;
  throw new F3Error('F3_OPTION', `--at: ${COORDINATES_RULE}, for example 34.15,-118.3, got ${JSON.stringify(text)}`);
}
