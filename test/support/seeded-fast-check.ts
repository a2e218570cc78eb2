// fast-check with one seed for every property, so that a run can be repeated: 1, or F3_FUZZ_SEED. A failure prints it.
import fc from 'fast-check';

export const FUZZ_SEED = wholeNumber('F3_FUZZ_SEED', 1);
fc.configureGlobal({ seed: FUZZ_SEED });

export default fc;

/** A setting from the environment, or its default. */
export function wholeNumber(name: string, byDefault: number): number {
  const value = Number(process.env[name] || byDefault);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${name}: must be a whole number from 0, got ${process.env[name]}`);
}
