// The table of limits in docs/operations.md, made from the schema of the limits.
import { DEFAULT_LIMITS, LIMIT_NAMES, type LimitName, purposeOfLimit } from '../src/server/server-limits.ts';

const UNITS: [size: number, name: string][] = [
  [2 ** 30, 'G'],
  [2 ** 20, 'M'],
  [2 ** 10, 'K'],
];

/** The value as `--limit` takes it. */
export function shownLimit(name: LimitName): string {
  const value = DEFAULT_LIMITS[name];
  const [size, unit] = (/bytes/i.test(name) && UNITS.find(([each]) => value % each === 0)) || [1, ''];
  return `${value / size}${unit}`;
}

/** The lines of the table. */
export function limitsTable(): string[] {
  const rows = LIMIT_NAMES.map((name) => `| \`${name}\` | ${shownLimit(name)} | ${purposeOfLimit(name)} |`);
  return ['| limit | default | the most … |', '|---|---|---|', ...rows];
}
