// Errors of the numerical core. Each has a stable code; src/errors.ts lists them beside the rest.
import type { CoreErrorCode } from '../errors.ts';

export type { CoreErrorCode } from '../errors.ts';

/** A failure in `src/core`. The message names the thing, the rule and the value. */
export class CoreError extends Error {
  readonly code: CoreErrorCode;

  constructor(code: CoreErrorCode, message: string) {
    super(message);
    this.name = 'CoreError';
    this.code = code;
  }
}

/** Throws `F3_SHAPE` unless `shape` matches `rule`, e.g. `expectShape('affine weight', w.shape, [16, 'out'])`. */
export function expectShape(thing: string, shape: readonly number[], rule: readonly (number | string)[]): void {
  const fits = shape.length === rule.length && rule.every((r, axis) => typeof r === 'string' || r === shape[axis]);
  if (!fits) {
    throw new CoreError('F3_SHAPE', `${thing}: shape must be [${rule.join(', ')}], got [${shape.join(', ')}]`);
  }
}

/** Throws `F3_ARGUMENT` with "thing: rule, got value" unless `holds`. */
export function expectArgument(holds: boolean, thing: string, rule: string, value: unknown): void {
  if (!holds) throw new CoreError('F3_ARGUMENT', `${thing}: ${rule}, got ${String(value)}`);
}
