// [owner] [entity] [coordinator] Dials an entity, and makes sure that whoever answers has the key that was pinned.
import { connect } from 'node:tls';
import { F3Error } from '../../errors.ts';
import type { EntityAddress } from '../charter.ts';
import { LINK_TIMES, Link, type LinkHandlers, type LinkTimes, PARTY_BYTES } from './link.ts';
import type { CertifiedKey } from './self-signed-certificate.ts';

export interface DialOptions {
  /** What messages call the other side. */
  name: string;
  certified: CertifiedKey;
  handlers?: LinkHandlers | undefined;
  times?: LinkTimes | undefined;
}

/** Rejects with F3_SHARES_AWAY if nobody answers, with F3_SHARES_KEY if somebody else does. */
export async function dial(
  { url, keyId }: EntityAddress,
  { name, certified, handlers = {}, times = LINK_TIMES }: DialOptions,
): Promise<Link> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  // The chain is not looked at, because the key itself is pinned; TLS 1.3 proves that the other side has it.
  const options = { host, port: Number(port), ...certified, rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;
  const socket = connect(options);
  const overdue = setTimeout(
    () => socket.destroy(new Error(`no line in ${times.connectMs / 1000} s`)),
    times.connectMs,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the line was closed')));
    });
  } catch (cause) {
    socket.destroy();
    const reason = (cause as Error).message || (cause as NodeJS.ErrnoException).code;
    throw new F3Error('F3_SHARES_AWAY', `${name} at ${url}: must answer, but ${reason}`, { cause });
  } finally {
    clearTimeout(overdue);
  }
  const link = await Link.over(socket, `${name} at ${url}`, handlers, times);
  if (link?.keyId === keyId) {
    link.trust(PARTY_BYTES);
    return link;
  }
  socket.destroy();
  link?.close();
  throw new F3Error('F3_SHARES_KEY', `${name} at ${url}: must have the key ${keyId}, got ${link?.keyId ?? 'none'}`);
}
