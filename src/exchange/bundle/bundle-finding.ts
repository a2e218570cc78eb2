// [wire] What a check of a bundle finds: errors, for which it is refused, and warnings.
import type { ErrorCode } from '../../errors.ts';

/** Something that is wrong with a bundle (`error`) or unusual about it (`warning`). */
export type BundleFinding =
  | { level: 'error'; code: ErrorCode; message: string }
  | { level: 'warning'; code: BundleWarning; message: string };

/** What may be unusual about a bundle, and is let through. */
export type BundleWarning =
  | 'constant-column'
  | 'integer-ids'
  | 'large-value'
  | 'no-common-sample'
  | 'owner-twice'
  | 'padded-id'
  | 'zero-row';

export const errorFinding = (code: ErrorCode, message: string): BundleFinding => ({ level: 'error', code, message });
export const warningFinding = (code: BundleWarning, message: string): BundleFinding => ({
  level: 'warning',
  code,
  message,
});
/** What follows the first of `count` places: how many more there are. */
export const andMore = (count: number): string => (count > 1 ? ` and ${count - 1} more` : '');
