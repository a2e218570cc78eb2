// [owner] Uniform whole numbers from node:crypto, drawn in blocks. Noise that protects must not come from a generator of our own.
import { randomFillSync } from 'node:crypto';
import { RandomStream } from '../../core/random.ts';

const BLOCK = 1 << 16;
/** 2⁵³: the first whole number that a double does not hold exactly together with its neighbours. */
const SAFE = 2 ** 53;

/** Draws whole numbers. */
export type SecretDraw = (below: number) => number;

/** Exactly uniform from 0 to `below` − 1, for `below` up to 2⁵³. `fill` writes the next `size` random bytes. */
export function secretNumbers(
  fill: (block: Buffer) => void = (block) => void randomFillSync(block),
  size = BLOCK,
): SecretDraw {
  const block = Buffer.alloc(size);
  let at = size;
  const bytes = (count: number): number => {
    if (at + count > size) {
      fill(block);
      at = 0;
    }
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 256 + block[at + i];
    block.fill(0, at, at + count); // a number is used once and then gone
    at += count;
    return value;
  };
  return (below) => {
    if (!(Number.isInteger(below) && below > 0 && below <= SAFE)) {
      throw new RangeError(`secret number: its bound must be a whole number from 1 to 2^53, got ${below}`);
    }
    if (below === 1) return 0;
    const count = below <= 256 ? 1 : below <= 2 ** 16 ? 2 : below <= 2 ** 24 ? 3 : below <= 2 ** 32 ? 4 : 7;
    // Of the seven bytes only 53 bits are used. A draw at or above the largest multiple of `below` would favour small numbers.
    const range = count === 7 ? SAFE : 256 ** count;
    const limit = range - (range % below);
    for (;;) {
      const value = count === 7 ? bytes(7) % SAFE : bytes(count);
      if (value < limit) return value % below;
    }
  };
}

const SEEDED_STREAM = 11;

/** Numbers that a seed gives, for audits and figures that can be had again. They protect nobody. */
export function seededDraw(seed: number): SecretDraw {
  const random = new RandomStream(seed, SEEDED_STREAM);
  return secretNumbers((block) => {
    for (let at = 0; at < block.length; at += 4) block.writeUInt32LE(random.integer(2 ** 32), at);
  });
}
