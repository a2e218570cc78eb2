// [coordinator] The mean over owners as a quadratic form. With Ã = [Â | 1] and weights w = m·(Âᵀm)/n: Q = ¼·ÃᵀWÃ and g = ½·Ãᵀw, averaged over graphs,
// so that Σ_i w_i·(¼z_i² + ½z_i) = xᵀQx + gᵀx, where x holds what the owners bring and, last, the bias.
import type { Engine } from '../../core/engine/engine.ts';
import { multiply } from '../../core/matrix-product.ts';
import { normalisedGraph, poolingOf } from '../../shares/public-graph.ts';

/** Q [n + 1, n + 1] and g [n + 1] */
export interface QuadraticForm {
  quadratic: Float32Array;
  linear: Float64Array;
}

/** Forms of different owners present that are kept, the latest ones: live samples mostly come with the same owners. */
const KEPT = 4;

/** The forms of a model's graphs, one for each set of owners that is present. */
export class QuadraticForms {
  readonly #owners: number;
  readonly #normalised: (Float64Array | undefined)[];
  readonly #kept = new Map<string, QuadraticForm>();

  /** `graphs`: adjacencies [owner, owner], each counting alike; none: owners do not see each other. */
  constructor(graphs: readonly Float32Array[], owners: number, skip: boolean) {
    this.#owners = owners;
    this.#normalised = graphs.length > 0 ? graphs.map((graph) => normalisedGraph(graph, owners, skip)) : [undefined];
  }

  /** `present`: [owner] of 0 and 1; without it everybody is */
  of(engine: Engine, present?: Uint8Array): QuadraticForm {
    const key = present?.join('') ?? '';
    const form = this.#kept.get(key) ?? this.#make(engine, present);
    this.#kept.delete(key);
    if (this.#kept.size === KEPT) this.#kept.delete([...this.#kept.keys()][0]);
    this.#kept.set(key, form);
    return form;
  }

  /** Q = RᵀR, R [graph, owner; n + 1] with the rows √(w_i / 4)·ã_i: weights are sums of edges, never negative. */
  #make(engine: Engine, present: Uint8Array | undefined): QuadraticForm {
    const n = this.#owners;
    const size = n + 1;
    const rows = n * this.#normalised.length;
    const tape = engine.inferenceTape();
    const scaled = tape.constant([rows, size], new Float32Array(rows * size));
    const product = tape.constant([size, size], new Float32Array(size * size));
    const values = scaled.data;
    const linear = new Float64Array(size);
    for (const [g, graph] of this.#normalised.entries()) {
      const pooling = poolingOf(graph, n, 1, present);
      for (let i = 0; i < n; i++) {
        const weight = ((present?.[i] ?? 1) * pooling[i]) / rows;
        if (weight === 0) continue;
        const root = Math.sqrt(weight / 4);
        const row = g * n + i;
        for (let j = 0; j < size; j++) {
          const value = j === n ? 1 : graph ? graph[i * n + j] : j === i ? 1 : 0;
          values[row * size + j] = root * value;
          linear[j] += (weight / 2) * value;
        }
      }
    }
    const b = { at: scaled.address, row: size };
    multiply(engine, {
      m: size,
      n: size,
      k: rows,
      a: { ...b, row: 1, step: size },
      b,
      c: { at: product.address, row: size },
    });
    const quadratic = product.data.slice();
    tape.dispose();
    return { quadratic, linear };
  }
}
