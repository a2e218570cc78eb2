// A line between members and a coordinator that can be cut: whatever is on its way is lost.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export class LineProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server;
  /** Port of the coordinator. */
  #port: number;
  #isDown = false;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((near) => {
      if (this.#isDown) return void near.resetAndDestroy();
      const far = connect(this.#port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ]) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
  }

  static async open(port: number): Promise<LineProxy> {
    const proxy = new LineProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection at once, and gives how many there were. */
  cut(): number {
    const count = this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return count;
  }

  /** Breaks every connection, and every one that is opened until it is up again. */
  takeDown(): void {
    this.#isDown = true;
    this.cut();
  }

  bringUp(): void {
    this.#isDown = false;
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
