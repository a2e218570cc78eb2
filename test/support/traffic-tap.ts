// A line that can be listened to and cut: it passes everything on and keeps a copy of both directions.
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Line {
  sent: Buffer[];
  received: Buffer[];
}

export class TrafficTap {
  /** After how many bytes from callers, over all connections, the connection in use is cut; in ascending order. */
  cuts: number[] = [];
  /** How many answers are to be lost: their connections are cut before the first byte gets through. */
  answersToLose = 0;
  /** How often a connection was cut. */
  cutsMade = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #lines: Line[] = [];
  #bytesSent = 0;

  constructor(port: number) {
    this.#server = createServer((caller) => {
      const callee = connect(port, '127.0.0.1');
      const line: Line = { sent: [], received: [] };
      this.#lines.push(line);
      const close = () => {
        for (const either of [caller, callee]) either.destroy();
      };
      for (const socket of [caller, callee]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', close);
      }
      const cut = () => {
        this.cutsMade++;
        close();
      };
      caller.on('data', (bytes: Buffer) => {
        this.#bytesSent += bytes.length;
        line.sent.push(bytes);
        if (this.#bytesSent < (this.cuts[0] ?? Number.POSITIVE_INFINITY)) return void callee.write(bytes);
        this.cuts = this.cuts.filter((at) => at > this.#bytesSent);
        // Half of the bytes that came last arrive.
        callee.write(bytes.subarray(0, bytes.length / 2), cut);
      });
      callee.on('data', (bytes: Buffer) => {
        line.received.push(bytes);
        if (this.answersToLose === 0) return void caller.write(bytes);
        this.answersToLose--;
        cut();
      });
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Every byte that callers sent, one connection after the other. */
  sent(): Buffer {
    return Buffer.concat(this.connections().map(({ sent }) => sent));
  }

  /** Every byte that callers got. */
  received(): Buffer {
    return Buffer.concat(this.connections().map(({ received }) => received));
  }

  connections(): { sent: Buffer; received: Buffer }[] {
    return this.#lines.map(({ sent, received }) => ({ sent: Buffer.concat(sent), received: Buffer.concat(received) }));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
