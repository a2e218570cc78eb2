// The hash that names contents: SHA-256 as 64 hexadecimal digits.
import { createHash } from 'node:crypto';

/** The hash of all parts, one after the other. */
export function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
