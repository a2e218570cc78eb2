// [owner] Sparse factorisation of a complex symmetric matrix, A = L·D·Lᵀ (L unit lower triangular, no pivoting).
//
// The pattern is analysed once (minimum-degree order, then a flat list of updates); after that any values on the same
// pattern are factored in some thousand multiplications, so that every switching of the grid can have its own factor.

/** One update of the elimination: target −= lower · upper. Diagonal targets are stored as −1 − rank. */
const UPDATE_WIDTH = 3;

export class SymmetricFactor {
  readonly size: number;
  readonly #rankOf: Int32Array;
  /** Column starts by rank, and for each entry the rank of its row. */
  readonly #starts: Int32Array;
  readonly #rows: Int32Array;
  readonly #slotOfEdge: Int32Array;
  readonly #updateStarts: Int32Array;
  readonly #updates: Int32Array;
  readonly #diagonal: Float64Array;
  readonly #entries: Float64Array;
  readonly #work: Float64Array;

  /** Pattern: a full diagonal and one entry per edge (mirrored). `edges` holds pairs of distinct nodes, none twice. */
  constructor(size: number, edges: readonly (readonly [number, number])[]) {
    this.size = size;
    const neighbours = Array.from({ length: size }, () => new Set<number>());
    for (const [a, b] of edges) {
      neighbours[a].add(b);
      neighbours[b].add(a);
    }
    const { rankOf, columns } = minimumDegreeOrder(neighbours);
    this.#rankOf = rankOf;
    this.#starts = new Int32Array(size + 1);
    for (let k = 0; k < size; k++) this.#starts[k + 1] = this.#starts[k] + columns[k].length;
    this.#rows = Int32Array.from(columns.flat());
    const slots = new Map<number, number>();
    for (let k = 0; k < size; k++) {
      for (let p = this.#starts[k]; p < this.#starts[k + 1]; p++) slots.set(k * size + this.#rows[p], p);
    }
    const slotOf = (i: number, j: number) => slots.get(Math.min(i, j) * size + Math.max(i, j)) as number;
    this.#slotOfEdge = Int32Array.from(edges, ([a, b]) => slotOf(rankOf[a], rankOf[b]));
    const updates: number[] = [];
    this.#updateStarts = new Int32Array(size + 1);
    for (let k = 0; k < size; k++) {
      for (let p = this.#starts[k]; p < this.#starts[k + 1]; p++) {
        for (let q = p; q < this.#starts[k + 1]; q++) {
          const target = p === q ? -1 - this.#rows[p] : slotOf(this.#rows[p], this.#rows[q]);
          updates.push(target, p, q);
        }
      }
      this.#updateStarts[k + 1] = updates.length;
    }
    this.#updates = Int32Array.from(updates);
    this.#diagonal = new Float64Array(2 * size);
    this.#entries = new Float64Array(2 * this.#rows.length);
    this.#work = new Float64Array(2 * size);
  }

  /** Factors the matrix. diagonal: [node, re/im], offDiagonal: [edge, re/im], in the constructor's order of edges. */
  factor(diagonal: Float64Array, offDiagonal: Float64Array): void {
    const d = this.#diagonal;
    const l = this.#entries;
    l.fill(0);
    for (let node = 0; node < this.size; node++) {
      const rank = this.#rankOf[node];
      d[2 * rank] = diagonal[2 * node];
      d[2 * rank + 1] = diagonal[2 * node + 1];
    }
    for (let e = 0; e < this.#slotOfEdge.length; e++) {
      l[2 * this.#slotOfEdge[e]] = offDiagonal[2 * e];
      l[2 * this.#slotOfEdge[e] + 1] = offDiagonal[2 * e + 1];
    }
    for (let k = 0; k < this.size; k++) this.#eliminate(k);
  }

  #eliminate(k: number): void {
    const d = this.#diagonal;
    const l = this.#entries;
    const updates = this.#updates;
    // D is stored as 1/D: one division here saves many later.
    const norm = d[2 * k] * d[2 * k] + d[2 * k + 1] * d[2 * k + 1];
    const inverseRe = d[2 * k] / norm;
    const inverseIm = -d[2 * k + 1] / norm;
    d[2 * k] = inverseRe;
    d[2 * k + 1] = inverseIm;
    for (let u = this.#updateStarts[k]; u < this.#updateStarts[k + 1]; u += UPDATE_WIDTH) {
      const target = updates[u];
      const p = 2 * updates[u + 1];
      const q = 2 * updates[u + 2];
      const scaledRe = l[p] * inverseRe - l[p + 1] * inverseIm;
      const scaledIm = l[p] * inverseIm + l[p + 1] * inverseRe;
      const re = scaledRe * l[q] - scaledIm * l[q + 1];
      const im = scaledRe * l[q + 1] + scaledIm * l[q];
      if (target < 0) {
        d[2 * (-1 - target)] -= re;
        d[2 * (-1 - target) + 1] -= im;
      } else {
        l[2 * target] -= re;
        l[2 * target + 1] -= im;
      }
    }
    for (let p = 2 * this.#starts[k]; p < 2 * this.#starts[k + 1]; p += 2) {
      const re = l[p] * inverseRe - l[p + 1] * inverseIm;
      l[p + 1] = l[p] * inverseIm + l[p + 1] * inverseRe;
      l[p] = re;
    }
  }

  /** Solves A·x = b in place. vector: [node, re/im] */
  solve(vector: Float64Array): void {
    const x = this.#work;
    const l = this.#entries;
    const d = this.#diagonal;
    const { size } = this;
    for (let node = 0; node < size; node++) {
      x[2 * this.#rankOf[node]] = vector[2 * node];
      x[2 * this.#rankOf[node] + 1] = vector[2 * node + 1];
    }
    for (let k = 0; k < size; k++) {
      const re = x[2 * k];
      const im = x[2 * k + 1];
      for (let p = this.#starts[k]; p < this.#starts[k + 1]; p++) {
        const row = 2 * this.#rows[p];
        x[row] -= l[2 * p] * re - l[2 * p + 1] * im;
        x[row + 1] -= l[2 * p] * im + l[2 * p + 1] * re;
      }
      x[2 * k] = re * d[2 * k] - im * d[2 * k + 1];
      x[2 * k + 1] = re * d[2 * k + 1] + im * d[2 * k];
    }
    for (let k = size - 1; k >= 0; k--) {
      for (let p = this.#starts[k]; p < this.#starts[k + 1]; p++) {
        const row = 2 * this.#rows[p];
        x[2 * k] -= l[2 * p] * x[row] - l[2 * p + 1] * x[row + 1];
        x[2 * k + 1] -= l[2 * p] * x[row + 1] + l[2 * p + 1] * x[row];
      }
    }
    for (let node = 0; node < size; node++) {
      vector[2 * node] = x[2 * this.#rankOf[node]];
      vector[2 * node + 1] = x[2 * this.#rankOf[node] + 1];
    }
  }
}

/**
 * Eliminates a node of least degree at a time and joins its neighbours. columns: sorted ranks of the later neighbours
 */
function minimumDegreeOrder(neighbours: Set<number>[]): { rankOf: Int32Array; columns: number[][] } {
  const size = neighbours.length;
  const rankOf = new Int32Array(size).fill(-1);
  const eliminated: number[][] = [];
  for (let rank = 0; rank < size; rank++) {
    let best = -1;
    for (let node = 0; node < size; node++) {
      if (rankOf[node] < 0 && (best < 0 || neighbours[node].size < neighbours[best].size)) best = node;
    }
    rankOf[best] = rank;
    const around = [...neighbours[best]];
    for (const a of around) {
      neighbours[a].delete(best);
      for (const b of around) if (a !== b) neighbours[a].add(b);
    }
    eliminated.push(around);
  }
  return { rankOf, columns: eliminated.map((nodes) => nodes.map((node) => rankOf[node]).sort((a, b) => a - b)) };
}
