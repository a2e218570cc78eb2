// Streams the random bits behind sampled edges, example after example, for a statistical battery:
//   node bench/edge-bits.ts | dieharder -a -g 200 -k 2 -Y 1
import { writeSync } from 'node:fs';
import { seedKey } from '../src/core/random.ts';
import { edgeBits, edgeKeys } from '../src/core/reference/edge-noise.ts';

/** METR-LA's: 207 owners. */
const SLOTS = 22_048;
const BATCH = 100;
const seed = seedKey(2023);
const bits = new Uint32Array(SLOTS);
for (let step = 0; ; step++) {
  for (let example = 0; example < BATCH; example++) {
    const keys = edgeKeys(seed, example, step, 0);
    for (let slot = 0; slot < SLOTS; slot++) bits[slot] = edgeBits(keys, slot);
    const bytes = new Uint8Array(bits.buffer);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(1, bytes, at);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EPIPE') process.exit(0);
        if (code !== 'EAGAIN') throw error;
      }
    }
  }
}
