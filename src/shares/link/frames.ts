// [owner] [entity] [coordinator] Frames on a line between parties: length, length of the head, head as JSON, bytes. Too long a frame is refused unread.
import { F3Error } from '../../errors.ts';

/** What a frame says about its bytes. */
export type FrameHead =
  | { kind: 'ask'; number: number; what: string; facts: Record<string, unknown> }
  | { kind: 'answer'; number: number; facts: Record<string, unknown> }
  | { kind: 'refusal'; number: number; code: string; message: string }
  | { kind: 'message'; conversation: string; tag: string }
  | { kind: 'alive' };

export interface Frame {
  head: FrameHead;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Most bytes of a head: a list of what an entity holds of a thousand owners. */
const MOST_HEAD = 1 << 20;
const LENGTHS = 8;

export function encodeFrame(head: FrameHead, bytes: Uint8Array = new Uint8Array()): Buffer[] {
  const text = Buffer.from(JSON.stringify(head));
  if (text.length > MOST_HEAD) {
    throw new F3Error('F3_SHARES_MESSAGE', `frame: head must have at most ${MOST_HEAD} bytes, got ${text.length}`);
  }
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(bytes.length, 4);
  return [Buffer.concat([lengths, text]), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)];
}

/** Puts frames together from whatever pieces a socket delivers. */
export class FrameReader {
  /** Most bytes of a frame beside its head. Whoever has proven more may send more. */
  most: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** The frames that are whole with this piece. Throws for what is no frame; the line is of no use from then on. */
  *read(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#length += piece.length;
    while (this.#length >= LENGTHS) {
      const start = this.#first(LENGTHS);
      const [head, body] = [start.readUInt32BE(0), start.readUInt32BE(4)];
      if (head > MOST_HEAD || body > this.most) {
        const found = `a head of ${head} and ${body}`;
        const rule = `must have a head of at most ${MOST_HEAD} and at most ${this.most} bytes`;
        throw new F3Error('F3_SHARES_MESSAGE', `frame: ${rule}, got ${found}`);
      }
      if (this.#length < LENGTHS + head + body) return;
      this.#drop(LENGTHS);
      const text = this.#take(head).toString('utf8');
      yield { head: parseHead(text), bytes: new Uint8Array(this.#take(body)) };
    }
  }

  /** Looks at the first bytes, which then lie in one piece. */
  #first(count: number): Buffer {
    if (this.#pieces[0].length < count) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0];
  }

  #take(count: number): Buffer {
    const taken: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const piece = this.#pieces[0];
      const part = piece.subarray(0, missing);
      taken.push(part);
      missing -= part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    this.#length -= count;
    return taken.length === 1 ? taken[0] : Buffer.concat(taken);
  }

  #drop(count: number): void {
    this.#take(count);
  }
}

function parseHead(text: string): FrameHead {
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch {
    head = undefined;
  }
  if (isHead(head)) return head;
  throw new F3Error('F3_SHARES_MESSAGE', 'frame: head must be one that f3 writes, got something else');
}

function isHead(head: unknown): head is FrameHead {
  if (typeof head !== 'object' || head === null) return false;
  const one = head as Record<string, unknown>;
  const isObject = typeof one.facts === 'object' && one.facts !== null;
  switch (one.kind) {
    case 'ask':
      return Number.isSafeInteger(one.number) && typeof one.what === 'string' && isObject;
    case 'answer':
      return Number.isSafeInteger(one.number) && isObject;
    case 'refusal':
      return Number.isSafeInteger(one.number) && typeof one.code === 'string' && typeof one.message === 'string';
    case 'message':
      return typeof one.conversation === 'string' && typeof one.tag === 'string';
    default:
      return one.kind === 'alive';
  }
}
