// [entity] [coordinator] Messages with facts and arrays: the length of a JSON header, the header, then the arrays' bytes, each at a multiple of 8.
import { F3Error } from '../errors.ts';

type MessageArray = Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array;

const KINDS = { Uint8Array, Int32Array, Uint32Array, Float32Array, Float64Array } as const;

/** What a message says: facts that JSON can hold, and arrays by name. */
export interface Message<Facts = unknown> {
  facts: Facts;
  arrays: Record<string, MessageArray>;
}

/** A Buffer of Node counts as what it is made from. */
function kindOf(array: MessageArray): string {
  const found = Object.entries(KINDS).find(([, kind]) => array instanceof kind);
  if (!found) throw new Error('message: arrays must be typed');
  return found[0];
}

const align = (bytes: number): number => Math.ceil(bytes / 8) * 8;

export function encodeMessage({ facts, arrays }: Message): Uint8Array<ArrayBuffer> {
  let at = 0;
  const list = Object.entries(arrays).map(([name, array]) => {
    const entry = { name, kind: kindOf(array), at, length: array.length };
    at += align(array.byteLength);
    return entry;
  });
  const header = new TextEncoder().encode(JSON.stringify({ facts, arrays: list }));
  const start = align(4 + header.length);
  const bytes = new Uint8Array(start + at);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, 4);
  for (const [i, array] of Object.values(arrays).entries()) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), start + list[i].at);
  }
  return bytes;
}

/** `what` is for the error message. */
export function decodeMessage<Facts>(bytes: Uint8Array, what: string): Message<Facts> {
  try {
    const whole = new Uint8Array(bytes);
    const length = new DataView(whole.buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + length)));
    const start = align(4 + length);
    const arrays: Record<string, MessageArray> = {};
    for (const { name, kind, at, length: count } of header.arrays) {
      arrays[name] = new KINDS[kind as keyof typeof KINDS](whole.buffer, start + at, count);
    }
    return { facts: header.facts, arrays };
  } catch (cause) {
    throw new F3Error('F3_SHARES_MESSAGE', `${what}: must be a whole message (${(cause as Error).message})`, { cause });
  }
}
