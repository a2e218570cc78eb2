// Load over keep-alive connections. Requests are bytes made beforehand, so that the client costs little.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  /** Milliseconds of each request, in the order they ended. */
  latencies: number[];
  /** Milliseconds from the first request to the last answer. */
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

/** Sends requests as fast as they are answered: a connection sends its next one when the last is answered. */
export async function sendAll(url: string, requests: readonly Buffer[], connections: number): Promise<Load> {
  const open = await Connections.open(url, Math.min(connections, requests.length));
  let next = 0;
  const start = performance.now();
  await Promise.all(
    open.sockets.map(async (socket) => {
      while (next < requests.length) await open.ask(socket, requests[next++], performance.now());
    }),
  );
  return open.close(start);
}

/**
 * Sends requests at a steady rate, as many clients do: each at its time, whether earlier ones are answered or not. Its
 * latency counts from then, also while it waits for a connection, so a server that falls behind cannot hide it.
 */
export async function sendSteadily(
  url: string,
  requests: readonly Buffer[],
  connections: number,
  perSecond: number,
): Promise<Load> {
  const open = await Connections.open(url, Math.min(connections, requests.length));
  const free = [...open.sockets];
  const due: number[] = [];
  let [next, answered] = [0, 0];
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const send = () => {
      for (let socket = free.pop(); socket; socket = free.pop()) {
        const time = due.shift();
        if (time === undefined) return void free.push(socket);
        const own = socket;
        open.ask(own, requests[next++], time).then(() => {
          free.push(own);
          answered++;
          if (answered === requests.length) resolve();
          else send();
        }, reject);
      }
    };
    let scheduled = 0;
    const tick = () => {
      const now = performance.now();
      for (; scheduled < requests.length; scheduled++) {
        const time = start + (1000 * scheduled) / perSecond;
        if (time > now) break;
        due.push(time);
      }
      send();
      if (scheduled < requests.length) setTimeout(tick, 1);
    };
    tick();
  });
  return open.close(start);
}

/** Open connections, and latencies and failures on them. */
class Connections {
  readonly sockets: Socket[];
  readonly #latencies: number[] = [];
  readonly #failures: string[] = [];

  private constructor(sockets: Socket[]) {
    this.sockets = sockets;
  }

  static async open(url: string, count: number): Promise<Connections> {
    const { hostname, port } = new URL(url);
    const open = async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    };
    return new Connections(await Promise.all(Array.from({ length: count }, open)));
  }

  /** Sends a request and waits for its answer. The latency counts from `since`. */
  async ask(socket: Socket, request: Buffer, since: number): Promise<void> {
    const { status, answer } = await exchange(socket, request);
    this.#latencies.push(performance.now() - since);
    if (status < 200 || status > 299) this.#failures.push(`${status} ${answer.toString().slice(0, 200)}`);
  }

  close(start: number): Load {
    const ms = performance.now() - start;
    for (const socket of this.sockets) socket.destroy();
    return { latencies: this.#latencies, ms, failures: this.#failures };
  }
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Sends a request and reads its answer, which is never chunked and so states its length. */
function exchange(socket: Socket, request: Buffer): Promise<{ status: number; answer: Buffer }> {
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
      finish(() => resolve({ status, answer: received }));
    };
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.write(request);
  });
}
