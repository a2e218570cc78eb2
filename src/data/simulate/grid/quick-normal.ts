// [owner] Standard normals for long noise series: one per 16 random bits, by a table of the inverse distribution.
//
// A three-minute record takes half a million of them. 65,536 values up to ±4.3 are plenty for measurement noise.

import type { RandomStream } from '../../../core/random.ts';
import { inverseErf } from '../../../core/theory/inverse-error-function.ts';

const LEVELS = 65_536;
const QUANTILES = Float64Array.from({ length: LEVELS }, (_, k) => Math.SQRT2 * inverseErf((2 * k + 1) / LEVELS - 1));

export class QuickNormal {
  readonly #random: RandomStream;
  #spare = -1;

  constructor(random: RandomStream) {
    this.#random = random;
  }

  next(): number {
    if (this.#spare >= 0) {
      const value = QUANTILES[this.#spare];
      this.#spare = -1;
      return value;
    }
    const bits = this.#random.bits();
    this.#spare = bits >>> 16;
    return QUANTILES[bits & 0xffff];
  }

  /** Uniform on (0, 1), from the same stream. */
  uniform(): number {
    return this.#random.uniform();
  }
}
