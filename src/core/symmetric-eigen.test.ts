import { expect, test } from 'vitest';
import { RandomStream } from './random.ts';
import { symmetricEigen } from './symmetric-eigen.ts';

test('Jacobi: A·v = λ·v for every eigenpair', () => {
  const random = new RandomStream(1, 0);
  const n = 12;
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = random.normal();
  const { values, vectors } = symmetricEigen(a.slice(), n);
  for (let m = 0; m < n; m++) {
    for (let i = 0; i < n; i++) {
      let image = 0;
      for (let j = 0; j < n; j++) image += a[i * n + j] * vectors[j * n + m];
      expect(image).toBeCloseTo(values[m] * vectors[i * n + m], 9);
    }
  }
});
