// Shows an entry of a coordinator's list on one line: `version 2, active yes, created 2026-05-01T12:00:00Z`.

/** Fields without a value are left out. */
export function listedLine(entry: object): string {
  return Object.entries(entry)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  if (Array.isArray(value)) return value.map(shown).join(' ');
  if (typeof value === 'object' && value !== null) return `(${listedLine(value)})`;
  return String(value).replace(/\p{Cc}+/gu, ' ');
}
