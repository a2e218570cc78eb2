// [wire] HalfSipHash-2-4 with 64 bits of output over the UTF-16 units of a text (https://www.aumasson.jp/siphash/siphash.pdf):
// whoever does not know the key cannot choose texts whose hashes collide.
import { randomBytes } from 'node:crypto';

const [KEY0, KEY1] = new Int32Array(Uint8Array.from(randomBytes(8)).buffer);
const state = new Int32Array(4);

function round(): void {
  let [v0, v1, v2, v3] = [state[0], state[1], state[2], state[3]];
  v0 = (v0 + v1) | 0;
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
  v0 = (v0 << 16) | (v0 >>> 16);
  v2 = (v2 + v3) | 0;
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
  v0 = (v0 + v3) | 0;
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
  v2 = (v2 + v1) | 0;
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
  v2 = (v2 << 16) | (v2 >>> 16);
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}

function absorb(word: number): void {
  state[3] ^= word;
  round();
  round();
  state[0] ^= word;
}

/** Writes the two halves of the hash to `words` at `at`. The key is this process's own, so hashes mean nothing elsewhere. */
export function keyedHash(text: string, words: Uint32Array, at: number): void {
  state[0] = KEY0;
  state[1] = KEY1 ^ 0xee;
  state[2] = KEY0 ^ 0x6c796765;
  state[3] = KEY1 ^ 0x74656462;
  const even = text.length & ~1;
  for (let i = 0; i < even; i += 2) absorb(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
  absorb((text.length << 16) | (even < text.length ? text.charCodeAt(even) : 0));
  state[2] ^= 0xee;
  for (let i = 0; i < 4; i++) round();
  words[at] = state[1] ^ state[3];
  state[1] ^= 0xdd;
  for (let i = 0; i < 4; i++) round();
  words[at + 1] = state[1] ^ state[3];
}
