// [coordinator] Has V8 compile PGlite's functions with its best compiler only when they have run for long. It would do so after a moment,
// and for a database that is opened, asked a few hundred times and closed, that is half of all the work and at times 600 MB of memory.
import { setFlagsFromString } from 'node:v8';

/** Bytes of WebAssembly that a function runs through before V8 compiles it again, roughly. V8's own choice is 13 million. */
const LATE = 1_300_000_000;
const USUAL = 13_000_000;

/**
 * A module keeps the budget that was set when it was made. What other threads make meanwhile, such as our kernels, gets it too: their
 * short loops reach it in a fraction of a second.
 */
export async function withLateOptimising<T>(makeModule: () => Promise<T>): Promise<T> {
  setFlagsFromString(`--wasm-tiering-budget=${LATE}`);
  try {
    return await makeModule();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${USUAL}`);
  }
}
