// Numbers as people read them, with their units.

const whole = new Intl.NumberFormat('en');

export const shownCount = (value: number): string => whole.format(value);

/** `3 owners`, `1 owner`. */
export const counted = (value: number, thing: string, things = `${thing}s`): string =>
  `${shownCount(value)} ${value === 1 ? thing : things}`;

/** A score or a probability; what is withheld or not defined is a dash. */
export const shownScore = (value: number | null | undefined, digits = 3): string =>
  value === null || value === undefined ? '–' : value.toFixed(digits);

/** A loss or another small number, to three digits. */
export function shownNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : value.toPrecision(size >= 100 ? 4 : 3);
}

export const shownShare = (value: number, digits = 0): string => `${(value * 100).toFixed(digits)} %`;

/** A difference, with its sign. */
export function shownChange(value: number, digits = 3): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return '±0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function shownBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

/** A time span: `40 s`, `3 min`, `2 h 5 min`. */
export function shownSpan(seconds: number): string {
  if (seconds < 1) return 'under 1 s';
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
  return `${Math.round(minutes / 60 / 24)} days`;
}

export const shownMilliseconds = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** `a`, `a and b`, `a, b and 3 others`. */
export function listed(names: readonly string[], most = 3): string {
  if (names.length === 0) return 'nobody';
  if (names.length === 1) return names[0];
  const told = names.length > most ? names.slice(0, most) : names.slice(0, -1);
  const last = names.length > most ? counted(names.length - most, 'other') : names[names.length - 1];
  return `${told.join(', ')} and ${last}`;
}
