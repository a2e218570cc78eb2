// [owner] A live window must have the model's shape and hold numbers only.
import { F3Error } from '../errors.ts';
import type { WindowShape } from './local-model.ts';

/** `window`: [time, variate]. The error names the sample, because the stream goes on without it. */
export function checkWindow(window: Float32Array, { length, variates }: WindowShape, sample: string): void {
  const fail = (rule: string, found: unknown) =>
    new F3Error('F3_STREAM_WINDOW', `sample ${sample}: window ${rule}, got ${found}`);
  if (window.length !== length * variates) throw fail(`must be ${length} × ${variates} numbers`, window.length);
  const bad = window.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw fail('must be finite', `${window[bad]} (number ${bad + 1})`);
}
