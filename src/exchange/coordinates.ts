// [wire] Where an owner is on the map: degrees of latitude and longitude (WGS 84), as many digits as the owner chose to tell.

/** Where an owner is, as it says itself. */
export interface Coordinates {
  /** Degrees north of the equator, -90 to 90. */
  latitude: number;
  /** Degrees east of Greenwich, -180 to 180. */
  longitude: number;
}

/** What coordinates have to be, for messages. */
export const COORDINATES_RULE = 'must be degrees, latitude from -90 to 90 and longitude from -180 to 180';

/** Whether a value read from outside is a pair of coordinates. */
export function isCoordinates(value: unknown): value is Coordinates {
  const { latitude, longitude } = (value ?? {}) as Partial<Record<keyof Coordinates, unknown>>;
  return isWithin(latitude, 90) && isWithin(longitude, 180);
}

const isWithin = (degrees: unknown, most: number): boolean =>
  typeof degrees === 'number' && Number.isFinite(degrees) && Math.abs(degrees) <= most;

/** `34.15° N, 118.3° W` */
export function coordinatesText({ latitude, longitude }: Coordinates): string {
  const part = (degrees: number, [positive, negative]: string) =>
    `${Math.abs(degrees)}° ${degrees < 0 ? negative : positive}`;
  return `${part(latitude, 'NS')}, ${part(longitude, 'EW')}`;
}
