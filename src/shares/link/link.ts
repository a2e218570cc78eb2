// [owner] [entity] [coordinator] One line between two parties over TLS 1.3, each known by its key: questions with answers, and messages without.

import type { TLSSocket } from 'node:tls';
import type { JWK } from 'jose';
import { ERRORS, type ErrorCode, errorCode, F3Error } from '../../errors.ts';
import { readPublicKey } from '../../exchange/identity/key-pair.ts';
import { encodeFrame, type Frame, type FrameHead, FrameReader } from './frames.ts';

/** A question, or an answer, to be sent. */
export interface Said {
  facts: Record<string, unknown>;
  bytes?: Uint8Array | undefined;
}

/** What came over a line. */
export interface Heard {
  facts: Record<string, unknown>;
  bytes: Uint8Array;
}

/** What a party does with what comes over a line. */
export interface LinkHandlers {
  /** Answers a question. What it throws is told to the asker, if it is an error of ours. */
  answer?(what: string, said: Heard): Promise<Said>;
  message?(conversation: string, tag: string, bytes: Uint8Array): void;
  /** Called once, also when this side closed the line. */
  closed?(reason: string): void;
}

/** How patient a line is. */
export interface LinkTimes {
  /** Milliseconds until a line must stand. */
  connectMs: number;
  /** Milliseconds until a question must be answered. */
  answerMs: number;
  /** Milliseconds without a byte after which the other side counts as gone. */
  silenceMs: number;
}

export const LINK_TIMES: LinkTimes = { connectMs: 10_000, answerMs: 60_000, silenceMs: 60_000 };

/** Most bytes of a frame from somebody who has only shown a key. */
export const STRANGER_BYTES = 64 * 1024;
/** Most bytes of a frame from an entity or the coordinator. */
export const PARTY_BYTES = 512 * 1024 * 1024;
/** Bytes that may wait to be read by the other side. */
const MOST_WAITING = 1024 * 1024 * 1024;
/** Questions of the other side that may wait for an answer. */
const MOST_QUESTIONS = 32;

interface Asked {
  resolve: (said: Heard) => void;
  reject: (error: Error) => void;
  overdue: NodeJS.Timeout;
}

/** A line that stands. */
export class Link {
  /** Key id of the other side, proven by the handshake. */
  readonly keyId: string;
  /** Its public key. */
  readonly publicKey: JWK;
  readonly #socket: TLSSocket;
  readonly #name: string;
  readonly #times: LinkTimes;
  readonly #handlers: LinkHandlers;
  readonly #reader = new FrameReader(STRANGER_BYTES);
  readonly #asked = new Map<number, Asked>();
  readonly #pulse: NodeJS.Timeout;
  #questions = 0;
  #number = 0;
  #reason: string | undefined;

  /** `name` is what messages call the other side. */
  private constructor(
    socket: TLSSocket,
    peer: { id: string; publicKey: JWK },
    name: string,
    handlers: LinkHandlers,
    times: LinkTimes,
  ) {
    this.keyId = peer.id;
    this.publicKey = peer.publicKey;
    this.#socket = socket;
    this.#name = name;
    this.#handlers = handlers;
    this.#times = times;
    socket.setNoDelay(true);
    socket.setTimeout(times.silenceMs, () => this.close(`it has been silent for ${times.silenceMs / 1000} s`));
    socket.on('data', (piece: Buffer) => this.#read(piece));
    socket.on('error', (error) => this.close(`the line broke: ${error.message}`));
    socket.on('close', () => this.close('the line was closed'));
    this.#pulse = setInterval(() => this.#write({ kind: 'alive' }), times.silenceMs / 4);
    this.#pulse.unref();
  }

  /** Undefined where the other side shows no Ed25519 key. */
  static async over(
    socket: TLSSocket,
    name: string,
    handlers: LinkHandlers,
    times: LinkTimes,
  ): Promise<Link | undefined> {
    const jwk = socket.getPeerX509Certificate()?.publicKey.export({ format: 'jwk' });
    const peer = await readPublicKey(jwk).catch(() => undefined);
    return peer && new Link(socket, peer, name, handlers, times);
  }

  get isOpen(): boolean {
    return this.#reason === undefined;
  }

  /** The other side may send frames of so many bytes from now on. */
  trust(most: number): void {
    this.#reader.most = most;
  }

  ask(what: string, { facts, bytes }: Said): Promise<Heard> {
    if (this.#reason !== undefined) return Promise.reject(this.#away(this.#reason));
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      const { answerMs } = this.#times;
      const overdue = setTimeout(() => {
        this.#asked.delete(number);
        reject(this.#away(`it has not answered for ${answerMs / 1000} s (${what})`));
      }, answerMs);
      this.#asked.set(number, { resolve, reject, overdue });
      this.#write({ kind: 'ask', number, what, facts }, bytes);
    });
  }

  /** Does not wait for the other side to read it. */
  send(conversation: string, tag: string, bytes: Uint8Array): void {
    if (this.#reason !== undefined) throw this.#away(this.#reason);
    this.#write({ kind: 'message', conversation, tag }, bytes);
  }

  close(reason = 'the line was closed here'): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    clearInterval(this.#pulse);
    this.#socket.destroy();
    for (const { reject, overdue } of this.#asked.values()) {
      clearTimeout(overdue);
      reject(this.#away(reason));
    }
    this.#asked.clear();
    this.#handlers.closed?.(reason);
  }

  #away(reason: string): F3Error {
    return new F3Error('F3_SHARES_AWAY', `${this.#name}: must answer, but ${reason}`);
  }

  #write(head: FrameHead, bytes?: Uint8Array): void {
    if (this.#reason !== undefined) return;
    if (this.#socket.writableLength > MOST_WAITING) {
      this.close(`it has left ${this.#socket.writableLength} bytes unread`);
      return;
    }
    for (const part of encodeFrame(head, bytes)) if (part.length > 0) this.#socket.write(part);
  }

  #read(piece: Buffer): void {
    try {
      for (const frame of this.#reader.read(piece)) {
        if (this.#reason !== undefined) return;
        this.#take(frame);
      }
    } catch (error) {
      this.close(`it sent what it may not: ${(error as Error).message}`);
    }
  }

  #take({ head, bytes }: Frame): void {
    switch (head.kind) {
      case 'ask':
        if (++this.#questions > MOST_QUESTIONS) throw new Error(`more than ${MOST_QUESTIONS} questions at once`);
        void this.#answer(head.number, head.what, { facts: head.facts, bytes });
        return;
      case 'answer':
        this.#settle(head.number)?.resolve({ facts: head.facts, bytes });
        return;
      case 'refusal':
        this.#settle(head.number)?.reject(refusalOf(this.#name, head));
        return;
      case 'message':
        this.#handlers.message?.(head.conversation, head.tag, bytes);
        return;
      case 'alive':
    }
  }

  #settle(number: number): Asked | undefined {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    clearTimeout(asked?.overdue);
    return asked;
  }

  async #answer(number: number, what: string, said: Heard): Promise<void> {
    try {
      if (!this.#handlers.answer) throw new F3Error('F3_SHARES_MESSAGE', `${what}: nothing can be asked here`);
      const { facts, bytes } = await this.#handlers.answer(what, said);
      this.#write({ kind: 'answer', number, facts }, bytes);
    } catch (error) {
      const code = errorCode(error);
      if (!code) process.stderr.write(`${what}: ${(error as Error).stack}\n`);
      const message = code ? (error as Error).message : 'it failed at this and says why in its log';
      this.#write({ kind: 'refusal', number, code: code ?? 'F3_SHARES_AWAY', message });
    } finally {
      this.#questions--;
    }
  }
}

function refusalOf(name: string, { code, message }: { code: string; message: string }): F3Error {
  const text = message.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, 1000);
  if (Object.hasOwn(ERRORS, code)) return new F3Error(code as ErrorCode, `${name}: ${text}`);
  return new F3Error('F3_SHARES_MESSAGE', `${name}: must answer as f3 does, got ${code}: ${text}`);
}
