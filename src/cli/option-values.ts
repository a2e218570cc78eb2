// Checks and converts option values for commander. Its message for a bad value states the rule.
import { InvalidArgumentError } from 'commander';

export function integerFrom(low: number, high: number = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= low && value <= high) return value;
    const range = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `from ${low} to ${high}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

export function numberFrom(low: number, high: number = Number.POSITIVE_INFINITY) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value >= low && value <= high) return value;
    const range = high === Number.POSITIVE_INFINITY ? `of at least ${low}` : `from ${low} to ${high}`;
    throw new InvalidArgumentError(`It must be a number ${range}.`);
  };
}

/** Accepts numbers from 0 up to, but not including, `high`. */
export function numberBelow(high: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value < high) return value;
    throw new InvalidArgumentError(`It must be a number of at least 0 and below ${high}.`);
  };
}

/** `a,b` → ['a', 'b'] */
export function commaList(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '') && new Set(names).size === names.length) return names;
  throw new InvalidArgumentError('It must be different names separated by commas.');
}

const UNITS: Record<string, number> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};

/** `500MB`, `20GB`, `4GiB` or a plain number → a whole number of bytes */
export function byteCount(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const bytes = Math.round(Number(digits) * (UNITS[(unit ?? 'none').toUpperCase()] ?? Number.NaN));
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('It must be a number of bytes, for example 500MB, 20GB or 4GiB.');
}
