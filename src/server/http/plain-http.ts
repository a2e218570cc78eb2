// [coordinator] Whether an address is reached from this machine only, where plain HTTP is nobody else's to read.
import { isIP } from 'node:net';

export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === 'localhost';
}

/** What to tell an operator who listens elsewhere without TLS; undefined where there is nothing to tell. */
export function plainHttpWarning(host: string, hasTls: boolean): string | undefined {
  if (hasTls || isLoopback(host)) return undefined;
  const risk = 'whoever is on the way reads embeddings, labels, answers and inference tokens';
  return `coordinator at ${host}: speaks plain HTTP to other machines, so ${risk}; give it a certificate or put a proxy with TLS before it`;
}
