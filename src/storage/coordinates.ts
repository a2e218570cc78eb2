// [coordinator] Where owners are, kept with the member as long as it belongs to the federation.
import { type Coordinates, isCoordinates } from '../exchange/coordinates.ts';
import type { Db, MemberRow } from './schema.ts';

/** With null nothing is kept of what was told before. */
export async function setCoordinates(db: Db, member: string, place: Coordinates | null): Promise<void> {
  const { latitude, longitude } = place ?? { latitude: null, longitude: null };
  await db.updateTable('members').set({ latitude, longitude }).where('id', '=', member).execute();
}

export function coordinatesOf({ latitude, longitude }: MemberRow): Coordinates | null {
  const place = { latitude, longitude };
  return isCoordinates(place) ? place : null;
}
