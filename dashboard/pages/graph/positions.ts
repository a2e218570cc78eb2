// Where owners stand: on the map if all have coordinates, else on a spiral from which the layout starts.
import type { ListedOwner } from '../../../src/exchange/messages.ts';

export type Place = [x: number, y: number];

/** The golden angle spreads any number of points evenly over a disc. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

export const spiral = (count: number): Place[] =>
  Array.from({ length: count }, (_, i) => {
    const [radius, angle] = [Math.sqrt(i + 0.5) * 10, i * GOLDEN];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });

/** Longitude and latitude to a plane that is right in the middle of the owners; undefined unless every owner has both. */
export function onMap(names: readonly string[], owners: readonly ListedOwner[]): Place[] | undefined {
  const known = new Map(owners.map(({ owner, coordinates }) => [owner, coordinates as Coordinates | null | undefined]));
  const places = names.map((name) => known.get(name));
  if (places.length === 0 || !places.every(isPlace)) return undefined;
  const middle = places.reduce((sum, { latitude }) => sum + latitude, 0) / places.length;
  const squeeze = Math.cos((middle * Math.PI) / 180);
  return places.map(({ latitude, longitude }) => [longitude * squeeze, latitude]);
}

interface Coordinates {
  latitude: number;
  longitude: number;
}

const isPlace = (place: Coordinates | null | undefined): place is Coordinates =>
  Number.isFinite(place?.latitude) && Number.isFinite(place?.longitude);
