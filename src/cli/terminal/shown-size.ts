// A number of bytes as people read it: 812 B, 27.4 kB, 1.3 MB.

const UNITS = ['B', 'kB', 'MB', 'GB'];

export function shownSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
