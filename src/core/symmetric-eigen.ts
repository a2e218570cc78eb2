// Eigenvalues and eigenvectors of small symmetric matrices in double precision, by Jacobi's cyclic rotations.

/** `a`: [n, n], which is overwritten → values [n], in no order, and vectors [n, n], one per column. */
export function symmetricEigen(a: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let all = 0;
    for (let k = 0; k < n * n; k++) {
      all += a[k] ** 2;
      if (k % (n + 1) !== 0) off += a[k] ** 2;
    }
    if (off <= 1e-24 * all) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, vectors, n, p, q);
  }
  return { values: Float64Array.from({ length: n }, (_, i) => a[i * n + i]), vectors };
}

function rotate(a: Float64Array, vectors: Float64Array, n: number, p: number, q: number): void {
  if (a[p * n + q] === 0) return;
  const theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[k * n + p], a[k * n + q]];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[p * n + k], a[q * n + k]];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
    const [u, v] = [vectors[k * n + p], vectors[k * n + q]];
    vectors[k * n + p] = c * u - s * v;
    vectors[k * n + q] = s * u + c * v;
  }
}
