// [coordinator] Tensors as bytes behind a JSON header: the Open Inference Protocol's binary tensor data extension.
import { F3Error } from '../../errors.ts';

/** Name of the header that says how many bytes of the body are JSON. */
export const JSON_LENGTH_HEADER = 'inference-header-content-length';

/** Returns the bytes of a body's JSON and those behind it. Without a length, all of the body is JSON. */
export function splitBinaryBody(body: Uint8Array, length: string | string[] | undefined): [Uint8Array, Uint8Array] {
  const end = length === undefined ? body.length : Number(length);
  if (length !== undefined && !(/^\d{1,10}$/.test(String(length)) && end <= body.length)) {
    const rule = `must be a whole number up to the ${body.length} bytes of the body`;
    throw refusal(`Inference-Header-Content-Length ${rule}, got ${String(length).slice(0, 40)}`);
  }
  return [body.subarray(0, end), body.subarray(end)];
}

export function parsedHeader(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString());
  } catch {
    throw refusal(`its first ${json.length} bytes must be JSON, got something else`);
  }
}

/** Takes tensors from a body's bytes in the order of the inputs, float32 and little-endian. */
export class BinaryTensors {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Takes the next `size` bytes. Messages call the input `name`. */
  take(name: string, size: number, shape: readonly number[]): Float32Array {
    const needed = shape.reduce((product, length) => product * length, Float32Array.BYTES_PER_ELEMENT);
    if (size !== needed) {
      throw refusal(`input ${name}: binary_data_size of ${shape.join(' × ')} FP32 must be ${needed}, got ${size}`);
    }
    const left = this.#bytes.length - this.#at;
    if (size > left) throw refusal(`input ${name}: must have ${size} bytes behind the JSON, got ${left}`);
    const start = this.#bytes.byteOffset + this.#at;
    this.#at += size;
    // The bytes are copied because they may begin at any offset, which a Float32Array may not.
    return new Float32Array(this.#bytes.buffer.slice(start, start + size) as ArrayBuffer);
  }

  /** Bytes that are left over mean that some size is wrong. */
  requireEmpty(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw refusal(`inputs must take all bytes behind the JSON, got ${left} more`);
  }
}

const refusal = (rule: string) => new F3Error('F3_REQUEST', `request: ${rule}`);
