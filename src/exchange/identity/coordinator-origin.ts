// [wire] A coordinator's address: scheme, host and port, nothing else.
import { F3Error } from '../../errors.ts';

/** Writes an address in one way, so that addresses can be compared. `peer` is whose it is, for the message. */
export function coordinatorOrigin(text: string, peer = 'coordinator'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  if (isPlain && !url.username && !url.password) return url.origin;
  throw new F3Error('F3_ARGUMENT', `${peer}: must be http(s)://host or http(s)://host:port, got ${text}`);
}
