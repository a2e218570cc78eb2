// [entity] [coordinator] Parties in threads of one process: messages move between them through ports, without a copy.
import type { MessagePort } from 'node:worker_threads';
import { Mailbox } from './mailbox.ts';
import type { Transport } from './transport.ts';

interface PortMessage {
  tag: string;
  bytes: Uint8Array;
}

/** One party's ports to all others. */
export class PortTransport implements Transport {
  readonly party: number;
  readonly #ports: ReadonlyMap<number, MessagePort>;
  readonly #mailbox = new Mailbox();
  /** Bytes sent, by party. */
  readonly sent = new Map<number, number>();

  constructor(party: number, ports: ReadonlyMap<number, MessagePort>) {
    this.party = party;
    this.#ports = ports;
    for (const [from, port] of ports) {
      port.on('message', ({ tag, bytes }: PortMessage) => this.#mailbox.deliver(from, tag, bytes));
      port.on('close', () => this.#mailbox.lose(from, 'its thread has ended'));
    }
  }

  send(to: number, tag: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.sent.set(to, (this.sent.get(to) ?? 0) + bytes.length);
    this.#ports.get(to)?.postMessage({ tag, bytes } satisfies PortMessage, [bytes.buffer]);
  }

  receive(from: number, tag: string): Promise<Uint8Array> {
    return this.#mailbox.take(from, tag);
  }

  close(): void {
    for (const port of this.#ports.values()) port.close();
  }
}
