// [wire] What a look at a bundle finds: errors, which refuse it, and warnings.
import type { ErrorCode } from '../../errors.ts';

export type BundleFinding =
  | { level: 'error'; code: ErrorCode; message: string }
  | { level: 'warning'; code: BundleWarning; message: string };

export type BundleWarning =
  | 'constant-column'
  | 'integer-ids'
  | 'large-value'
  | 'no-common-sample'
  | 'owner-twice'
  | 'padded-id'
  | 'zero-row';

export const error = (code: ErrorCode, message: string): BundleFinding => ({ level: 'error', code, message });
export const warning = (code: BundleWarning, message: string): BundleFinding => ({ level: 'warning', code, message });
/** After the first of several places. */
export const more = (count: number): string => (count > 1 ? ` and ${count - 1} more` : '');
