import { expect, test } from 'vitest';
import { solvedScene } from '../../../../../test/support/grid-scene.ts';
import { RandomStream } from '../../../../core/random.ts';
import { slowestModes, symmetricEigen } from './mode-shapes.ts';

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

test('the slow modes lie where real grids have theirs, and rotors swing against each other', () => {
  const { grid, state, reduced } = solvedScene(4);
  const modes = slowestModes(grid.plants, state.emf, state.angle, reduced, 4);
  for (const { frequency, shape } of modes) {
    expect(frequency / (2 * Math.PI)).toBeGreaterThan(0.1);
    expect(frequency / (2 * Math.PI)).toBeLessThan(3);
    expect(Math.max(...shape)).toBeGreaterThan(0);
    expect(Math.min(...shape)).toBeLessThan(0);
  }
});
