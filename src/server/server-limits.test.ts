// The limits of a coordinator: how they are read, and that the documents state them.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limitsTable } from '../../scripts/limits-table.ts';
import { DEFAULT_LIMITS, parseLimit, resolveLimits } from './server-limits.ts';

describe('a limit', () => {
  it('is read with its unit', () => {
    expect(parseLimit('bundleBytes=2G')).toEqual({ bundleBytes: 2 ** 31 });
    expect(parseLimit('rowBytes = 16 KiB')).toEqual({ rowBytes: 16384 });
    expect(parseLimit('bundleRows=7')).toEqual({ bundleRows: 7 });
  });

  it.each([
    'bundleRows',
    'bundleRows=',
    'bundleRows=-1',
    'bundleRows=1e9',
    'bundleRows=1T',
    'nothing=1',
    '__proto__=1',
  ])('that is written as %s is refused', (text) => {
    expect(() => parseLimit(text)).toThrow(expect.objectContaining({ code: 'F3_OPTION' }));
  });

  it('that is left out has its default, and one that is too small or unknown is refused', () => {
    expect(resolveLimits({ bundleRows: 9 })).toEqual({ ...DEFAULT_LIMITS, bundleRows: 9 });
    expect(() => resolveLimits({ bundleRows: 0 })).toThrow('limit bundleRows');
    expect(() => resolveLimits({ other: 1 } as object)).toThrow('must be one of');
  });

  it('stands in docs/operations.md with its default', () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    expect(page).toContain(limitsTable().join('\n'));
  });
});
