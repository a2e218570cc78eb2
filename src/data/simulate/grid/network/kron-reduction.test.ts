import { expect, test } from 'vitest';
import { solvedScene } from '../../../../../test/support/grid-scene.ts';
import { multiply } from './complex.ts';

const { grid, flow, state, kron, channels, reduced } = solvedScene(2);
const size = grid.plants.length;
const internal = Array.from({ length: size }, (_, i) => [
  state.emf[i] * Math.cos(state.angle[i]),
  state.emf[i] * Math.sin(state.angle[i]),
]);

test('the rows give back the load flow: every bus voltage', () => {
  for (let bus = 0; bus < grid.buses.length; bus++) {
    let [re, im] = [0, 0];
    for (let j = 0; j < size; j++) {
      const row = [reduced.rows[2 * bus * size + j], reduced.rows[(2 * bus + 1) * size + j]] as const;
      const [x, y] = multiply(row, internal[j] as [number, number]);
      re += x;
      im += y;
    }
    expect(Math.hypot(re, im)).toBeCloseTo(flow.magnitude[bus], 8);
    expect(Math.atan2(im, re)).toBeCloseTo(flow.angle[bus], 8);
  }
});

test('the reduced network draws from each plant what the load flow has it deliver', () => {
  for (let i = 0; i < size; i++) {
    let [re, im] = [0, 0];
    for (let j = 0; j < size; j++) {
      const y = [reduced.conductance[i * size + j], reduced.susceptance[i * size + j]] as const;
      const [x, z] = multiply(y, internal[j] as [number, number]);
      re += x;
      im += z;
    }
    const delivered = internal[i][0] * re + internal[i][1] * im;
    expect(delivered).toBeCloseTo(flow.injection[2 * i], 7);
  }
});

test('Y_red is symmetric, which the swing model relies on', () => {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++) {
      expect(reduced.conductance[i * size + j]).toBeCloseTo(reduced.conductance[j * size + i], 10);
      expect(reduced.susceptance[i * size + j]).toBeCloseTo(reduced.susceptance[j * size + i], 10);
    }
  }
});

test("a line's current channel carries the line's power", () => {
  kron.use(state.network, new Float64Array(size).fill(1));
  grid.lines.forEach(({ from, to, r, x, charging }, k) => {
    const current = kron.phasor(grid.buses.length + k, state.voltages);
    const v = [state.voltages[2 * from], state.voltages[2 * from + 1]] as const;
    const difference = [v[0] - state.voltages[2 * to], v[1] - state.voltages[2 * to + 1]] as const;
    const series = multiply(difference, [r / (r * r + x * x), -x / (r * r + x * x)]);
    expect(current[0]).toBeCloseTo(series[0] - (v[1] * charging) / 2, 9);
    expect(current[1]).toBeCloseTo(series[1] + (v[0] * charging) / 2, 9);
  });
  expect(channels.length).toBe(grid.buses.length + grid.lines.length);
});
