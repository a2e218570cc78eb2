// Load over keep-alive connections: requests are bytes made beforehand, so that the client costs little beside the server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  /** Milliseconds of each request, in the order they ended. */
  latencies: number[];
  /** From the first request to the last answer. */
  ms: number;
  /** Answers that were not 2xx. */
  failures: string[];
}

/** An HTTP/1.1 request as bytes. */
export function requestBytes(path: string, headers: Record<string, string>, body: Uint8Array): Buffer {
  const lines = Object.entries({ host: 'localhost', 'content-length': String(body.length), ...headers });
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** Sends all requests over `connections` at a time; each sends its next one when the last is answered. */
export async function sendAll(url: string, requests: readonly Buffer[], connections: number): Promise<Load> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: Math.min(connections, requests.length) }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const load: Load = { latencies: [], ms: 0, failures: [] };
  let next = 0;
  const start = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      while (next < requests.length) {
        const sent = performance.now();
        const { status, text } = await exchange(socket, requests[next++]);
        load.latencies.push(performance.now() - sent);
        if (status < 200 || status > 299) load.failures.push(`${status} ${text.slice(0, 200)}`);
      }
    }),
  );
  load.ms = performance.now() - start;
  for (const socket of sockets) socket.destroy();
  return load;
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Answers have a length: what we ask for is never chunked. */
function exchange(socket: Socket, request: Buffer): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let whole = Number.POSITIVE_INFINITY;
    const finish = (end: () => void) => {
      socket.off('data', onData).off('error', onError).off('close', onClose);
      end();
    };
    const onError = (error: Error) => finish(() => reject(error));
    const onClose = () => finish(() => reject(new Error('the connection was closed before the answer')));
    const onData = (data: Buffer) => {
      received = received.length === 0 ? data : Buffer.concat([received, data]);
      if (whole === Number.POSITIVE_INFINITY) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const [, length] = /content-length: (\d+)/i.exec(received.toString('latin1', 0, end)) ?? [];
        whole = end + 4 + Number(length);
      }
      if (received.length < whole) return;
      const status = Number(received.toString('latin1', 9, 12));
      finish(() => resolve({ status, text: received.toString() }));
    };
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.write(request);
  });
}
