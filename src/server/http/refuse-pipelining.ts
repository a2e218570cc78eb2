// [coordinator] Cuts connections on which requests come by the dozen before the first is answered (HTTP/1.1 pipelining, RFC 9112 §9.3.2).
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Clients and proxies of today wait for an answer before they ask again. So many are let through, because an answer may just be out. */
export const MOST_UNDER_WAY = 4;

/**
 * Node reads 64 KiB of a connection at a time and begins every request in them: 1,600 small ones, all within one turn, and as many of each
 * other connection. Whoever sends so many is not answered any more, and what else has been read from it is begun by nobody.
 */
export function refusePipelining(server: Server): void {
  const underWay = new WeakMap<Socket, number>();
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > MOST_UNDER_WAY) return void socket.destroy();
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    for (const handle of handlers) handle.call(server, request, response);
  });
}
