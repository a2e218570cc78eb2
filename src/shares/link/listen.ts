// [entity] Takes lines over TLS 1.3 from whoever shows a key, and hands them on; who may do what is decided by the key.
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { F3Error } from '../../errors.ts';
import { LINK_TIMES, Link, type LinkHandlers, type LinkTimes } from './link.ts';
import type { CertifiedKey } from './self-signed-certificate.ts';

export interface ListenOptions {
  host: string;
  port: number;
  certified: CertifiedKey;
  /** Called for each line before anything comes over it. */
  handlersOf(keyId: () => Link): LinkHandlers;
  times?: LinkTimes | undefined;
}

export interface Listener {
  port: number;
  close(): Promise<void>;
}

/** Lines at a time: far more than owners push at once. */
const MOST_LINES = 512;

export async function listenForLinks({
  host,
  port,
  certified,
  handlersOf,
  times = LINK_TIMES,
}: ListenOptions): Promise<Listener> {
  const links = new Set<Link>();
  const server = createServer(
    {
      ...certified,
      requestCert: true,
      rejectUnauthorized: false, // because keys are known, not authorities
      minVersion: 'TLSv1.3',
      handshakeTimeout: times.connectMs,
    },
    async (socket: TLSSocket) => {
      socket.on('error', () => socket.destroy());
      let link: Link | undefined;
      const handlers = handlersOf(() => link as Link);
      const closed = (reason: string) => {
        if (link) links.delete(link);
        handlers.closed?.(reason);
      };
      link = await Link.over(socket, 'the caller', { ...handlers, closed }, times);
      if (link) links.add(link);
      else socket.destroy();
    },
  );
  server.maxConnections = MOST_LINES;
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((cause) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    const found = { EADDRINUSE: 'a port that is in use', EACCES: 'no permission', EADDRNOTAVAIL: 'no such address' };
    const reason = found[code as keyof typeof found] ?? message;
    throw new F3Error('F3_LISTEN', `address ${host}:${port}: must be free to listen on, got ${reason}`, { cause });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const link of [...links]) link.close('it ended');
      await ended;
    },
  };
}
