import { expect, test } from 'vitest';
import { solvedScene } from '../../../../../test/support/grid-scene.ts';
import { sampleStream } from '../random-streams.ts';
import { busPowers, LoadFlowSolver, REACTIVE_DROOP } from './load-flow.ts';
import { Network } from './network.ts';
import { drawOperation } from './operating-point.ts';

const { grid, operation, flow } = solvedScene(1);

test('power balances at every bus to less than 1e-6, whatever the hour', () => {
  const solver = new LoadFlowSolver(grid.lines, grid.buses.length, grid.plants);
  for (let sample = 0; sample < 20; sample++) {
    const hour = drawOperation(sampleStream(1, sample, 'operation'), grid);
    const { converged, residual, magnitude, angle, injection } = solver.solve(hour);
    expect(converged).toBe(true);
    expect(residual).toBeLessThan(1e-6);
    const power = new Float64Array(2 * grid.buses.length);
    busPowers(Network.of(grid.lines, grid.buses.length), magnitude, angle, power);
    const fedIn = hour.load.map((value) => -value);
    grid.plants.forEach(({ bus }, i) => {
      fedIn[2 * bus] += injection[2 * i];
      fedIn[2 * bus + 1] += injection[2 * i + 1];
    });
    for (let i = 0; i < power.length; i++) expect(Math.abs(power[i] - fedIn[i])).toBeLessThan(1e-6);
  }
});

test('plants make what was dispatched, give way in voltage by their droop, and the largest covers the losses', () => {
  const largest = grid.plants.reduce((best, { rating }, i) => (rating > grid.plants[best].rating ? i : best), 0);
  grid.plants.forEach(({ bus, voltage, rating }, i) => {
    const reactive = flow.injection[2 * i + 1] / rating;
    expect(flow.magnitude[bus]).toBeCloseTo(voltage - REACTIVE_DROOP * reactive, 8);
    expect(Math.abs(reactive)).toBeLessThan(1);
    if (i !== largest) expect(flow.injection[2 * i]).toBeCloseTo(operation.generation[i], 6);
  });
  const made = flow.injection.reduce((sum, value, i) => (i % 2 === 0 ? sum + value : sum), 0);
  const used = operation.load.reduce((sum, value, i) => (i % 2 === 0 ? sum + value : sum), 0);
  expect(made / used).toBeGreaterThan(1);
  expect(made / used).toBeLessThan(1.08);
});

test('a load beyond what the lines can carry is reported, not returned as a solution', () => {
  const solver = new LoadFlowSolver(grid.lines, grid.buses.length, grid.plants);
  const impossible = { load: operation.load.map((value) => 50 * value), generation: operation.generation };
  expect(solver.solve(impossible).converged).toBe(false);
});
