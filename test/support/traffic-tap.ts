// A wire that can be listened to: passes everything on and keeps a copy of what the caller sent.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class TrafficTap {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #sent: Buffer[] = [];

  constructor(port: number) {
    this.#server = createServer((caller) => {
      const callee = connect(port, '127.0.0.1');
      for (const socket of [caller, callee]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => [caller, callee].map((either) => either.destroy()));
      }
      caller.on('data', (bytes: Buffer) => this.#sent.push(bytes));
      caller.pipe(callee).pipe(caller);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Every byte that callers sent. */
  sent(): Buffer {
    return Buffer.concat(this.#sent);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
