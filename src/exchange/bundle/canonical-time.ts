// [wire] Brings sample ids that are times to one form, whatever program wrote them: 2012-03-01T07:00, with Z where a zone was given.

/** ISO 8601 and what Python, R, Java and databases make of it; a zone's name in brackets, as Java adds it, says nothing new. */
const TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)(?:\[[\w+\-/]+\])?)?$/;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z?)$/;
const SHORTEST = '2012-03-01T07:00'.length;

/** What an id that is a time says of its zone. */
export type TimeKind = 'with a zone' | 'without a zone';

/**
 * The id as every owner writes it. A time loses seconds and fractions that are zero. With a zone it is converted to UTC; without
 * one it stays as written, since nobody knows which was meant. Anything else, impossible times too, is returned unchanged.
 */
export function canonicalSampleId(id: string): string {
  if (id.length < SHORTEST || id[4] !== '-' || id[13] !== ':') return id; // most ids are no times
  if (id.length === SHORTEST && id[10] === 'T') return id; // it is as short as it can be
  const [, date, hours, minutes, seconds = '00', fraction = '', zone] = TIME.exec(id) ?? [];
  if (date === undefined) return id;
  const written = `${date}T${hours}:${minutes}:${seconds}.000Z`;
  const moment = Date.parse(written);
  // The parser carries 30 February over to March: what does not come back is no time.
  if (Number.isNaN(moment) || new Date(moment).toISOString() !== written) return id;
  const offset = zone === undefined ? 0 : offsetMinutes(zone);
  if (offset === undefined) return id;
  const text = new Date(moment - offset * 60_000).toISOString();
  if (text.length !== written.length) return id; // the year is before 0 or after 9999
  return `${shortest(text.slice(0, 19), fraction)}${zone === undefined ? '' : 'Z'}`;
}

export const canonicalSampleIds = (ids: readonly string[]): string[] => ids.map(canonicalSampleId);

/** What a canonical id says of its zone; undefined for an id that is no time. */
export function timeKind(id: string): TimeKind | undefined {
  if (id.length < SHORTEST || id[4] !== '-' || id[10] !== 'T') return undefined;
  const zone = CANONICAL.exec(id)?.[1];
  return zone === undefined ? undefined : zone === 'Z' ? 'with a zone' : 'without a zone';
}

/** The first of some canonical ids that is a time, and what it says of its zone. */
export function firstTime(ids: readonly string[]): { id: string; kind: TimeKind } | undefined {
  for (const id of ids) {
    const kind = timeKind(id);
    if (kind) return { id, kind };
  }
  return undefined;
}

/** The rows of the first two canonical ids of which one has a zone and the other has none: they would never match. */
export function mixedTimes(ids: readonly string[]): [first: number, other: number] | undefined {
  let first: { row: number; kind: TimeKind } | undefined;
  for (const [row, id] of ids.entries()) {
    const kind = timeKind(id);
    if (!kind) continue;
    first ??= { row, kind };
    if (kind !== first.kind) return [first.row, row];
  }
  return undefined;
}

/** `seconds` is a date and a time to the second. */
function shortest(seconds: string, fraction: string): string {
  const left = fraction.replace(/0+$/, '');
  if (left) return `${seconds}.${left}`;
  return seconds.endsWith(':00') ? seconds.slice(0, -3) : seconds;
}

function offsetMinutes(zone: string): number | undefined {
  if (!/^[+-]/.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (60 * hours + minutes);
}
