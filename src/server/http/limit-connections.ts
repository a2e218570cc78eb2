// [coordinator] Limits connections per address, so that slow clients in one place cannot use up all of them.
import type { Server } from 'node:net';
import type { ServerLimits } from '../server-limits.ts';

type ConnectionLimits = Pick<ServerLimits, 'connections' | 'connectionsPerAddress'>;

export function limitConnections(server: Server, { connections, connectionsPerAddress }: ConnectionLimits): void {
  const open = new Map<string, number>();
  server.maxConnections = connections;
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const count = (open.get(remoteAddress) ?? 0) + 1;
    if (count > connectionsPerAddress) return void socket.destroy();
    open.set(remoteAddress, count);
    socket.once('close', () => {
      const left = (open.get(remoteAddress) ?? 1) - 1;
      if (left > 0) open.set(remoteAddress, left);
      else open.delete(remoteAddress);
    });
  });
}
