import { expect, test } from 'vitest';
import { solvedScene } from '../../../../../test/support/grid-scene.ts';
import { slowestModes } from './mode-shapes.ts';

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
