// Where owners stand: on the map if they have told where they are, else on a spiral from which the layout starts.
import type { Coordinates } from '../../../src/exchange/coordinates.ts';
import type { ListedOwner } from '../../../src/exchange/messages.ts';

export type Place = [x: number, y: number];

/** Owners on a plane that is right in the middle of them: x to the east, y to the north, both in degrees of latitude. */
export interface OwnerMap {
  places: Place[];
  /** How many have not told where they are; they stand in a row below the others. */
  unplaced: number;
  /** Degrees of latitude and longitude at a place. */
  coordinatesAt(place: Place): Coordinates;
  placeOf(coordinates: Coordinates): Place;
}

/** The golden angle spreads any number of points evenly over a disc. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
/** The row of those without a place lies below the map by this share of its size. */
const BELOW = 0.15;
/** One point is no map. */
const LEAST_PLACED = 2;

export const spiral = (count: number): Place[] =>
  Array.from({ length: count }, (_, i) => {
    const [radius, angle] = [Math.sqrt(i + 0.5) * 10, i * GOLDEN];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });

/** Undefined unless half of the owners, and two at least, have told where they are. */
export function onMap(names: readonly string[], owners: readonly ListedOwner[]): OwnerMap | undefined {
  const known = new Map(owners.map(({ owner, coordinates }) => [owner, coordinates]));
  const told = names.flatMap((name) => known.get(name) ?? []);
  if (told.length < LEAST_PLACED || told.length < names.length / 2) return undefined;
  const middle = told.reduce((sum, { latitude }) => sum + latitude, 0) / told.length;
  const squeeze = Math.max(0.01, Math.cos((middle * Math.PI) / 180));
  const longitudes = told.map(({ longitude }) => longitude);
  // Owners on both sides of the date line are neighbours.
  const turns = Math.max(...longitudes) - Math.min(...longitudes) > 180;
  const placeOf = ({ latitude, longitude }: Coordinates): Place => [
    (turns && longitude < 0 ? longitude + 360 : longitude) * squeeze,
    latitude,
  ];
  const coordinatesAt = ([x, y]: Place): Coordinates => ({ latitude: y, longitude: x / squeeze });
  const unplaced = names.length - told.length;
  const row = rowBelow(told.map(placeOf), unplaced);
  const places = names.map((name) => {
    const coordinates = known.get(name);
    return coordinates ? placeOf(coordinates) : (row.shift() as Place);
  });
  return { places, unplaced, coordinatesAt, placeOf };
}

function rowBelow(placed: readonly Place[], count: number): Place[] {
  const [xs, ys] = [placed.map(([x]) => x), placed.map(([, y]) => y)];
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const size = Math.max(right - left, top - bottom, 0.01);
  return Array.from({ length: count }, (_, i) => [
    (left + right) / 2 + ((i + 0.5) / count - 0.5) * size,
    bottom - BELOW * size,
  ]);
}
