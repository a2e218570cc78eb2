// A bundle under noise that was paid for at once, as if it were about to leave.
import { noisyBundle } from '../../src/privacy/noise/noisy-bundle.ts';

export function paidBundle(...of: Parameters<typeof noisyBundle>) {
  const { bytes, pay } = noisyBundle(...of);
  return { bytes, ...pay() };
}
