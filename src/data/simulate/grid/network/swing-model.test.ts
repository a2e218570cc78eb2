import { expect, test } from 'vitest';
import { solvedScene } from '../../../../../test/support/grid-scene.ts';
import { allInService } from '../events/events.ts';
import type { Plant } from '../grid.ts';
import { STEPS_PER_SECOND } from '../time-steps.ts';
import type { ReducedNetwork } from './kron-reduction.ts';
import { SwingModel, SYNCHRONOUS_SPEED } from './swing-model.ts';

const scene = solvedScene(3);
const { grid, state, kron, reduced } = scene;
const start = () => new SwingModel(grid.plants, state.emf, state.angle, reduced);

test('without an event the steady state stays steady: angles to 1e-9 rad over ten seconds', () => {
  const model = start();
  for (let step = 0; step < 10 * STEPS_PER_SECOND; step++) model.step(1 / STEPS_PER_SECOND);
  model.angle.forEach((angle, i) => {
    expect(Math.abs(angle - state.angle[i])).toBeLessThan(1e-9);
  });
  expect(Math.abs(model.meanSpeed())).toBeLessThan(1e-12);
});

test('after a generator trip the frequency falls, and settles where governors and loads make up for the loss', () => {
  const plant = grid.plants.findIndex(({ units }) => units > 1);
  const inService = allInService(grid);
  inService[plant] = 1 - 1 / grid.plants[plant].units;
  const model = start();
  const before = model.electricalPower();
  kron.use(state.network, inService);
  const after = kron.reduce();
  model.useNetwork(after, inService);
  const speeds: number[] = [];
  for (let step = 0; step < 90 * STEPS_PER_SECOND; step++) {
    model.step(1 / STEPS_PER_SECOND);
    if (step % STEPS_PER_SECOND === 0) speeds.push(model.meanSpeed());
  }
  const last = speeds[speeds.length - 1];
  expect(Math.min(...speeds)).toBeLessThan(last);
  expect(last).toBeLessThan(-1e-5);
  expect(Math.abs(last - speeds[speeds.length - 11])).toBeLessThan(2e-6);
  // In the new balance all rotors share one speed, so surplus power is (ΣK + Σ1/R)·ω on what is left in service.
  const stiffness = grid.plants.reduce((sum, p, i) => sum + inService[i] * (p.selfRegulation + p.governorGain), 0);
  const needed = model.electricalPower().reduce((sum, p, i) => sum + p - inService[i] * before[i], 0);
  expect(last * stiffness).toBeCloseTo(-needed, 2);
});

/** Two plants on a lossless line, neither damping nor governors: E₁E₂/x between them. */
const free = (inertia: number): Plant => ({
  bus: 0,
  rating: 1,
  units: 1,
  reactance: 1,
  inertia,
  damping: 0,
  selfRegulation: 0,
  governorGain: 0,
  governorSeconds: 1,
  voltage: 1,
});
const plants = [free(3), free(5)];
const lossless: ReducedNetwork = {
  conductance: new Float64Array(4),
  susceptance: Float64Array.of(-2, 2, 2, -2),
  rows: new Float64Array(),
};
const displaced = (angle: number) => {
  const model = new SwingModel(plants, Float64Array.of(1.05, 1.02), Float64Array.of(0.3, 0), lossless);
  model.angle[0] += angle;
  return model;
};
const coupling = 2 * 1.05 * 1.02;

test('a lossless undamped swing keeps its energy to 1e-5 over twenty seconds', () => {
  const energy = (model: SwingModel) => {
    const kinetic = plants.reduce((sum, p, i) => sum + p.inertia * SYNCHRONOUS_SPEED * model.speed[i] ** 2, 0);
    const delta = model.angle[0] - model.angle[1];
    return kinetic - coupling * (Math.cos(delta) + Math.sin(0.3) * delta);
  };
  const model = displaced(0.8);
  const before = energy(model);
  const swung = before - energy(displaced(0));
  for (let step = 0; step < 20 * STEPS_PER_SECOND; step++) model.step(1 / STEPS_PER_SECOND);
  expect(swung).toBeGreaterThan(0.1);
  expect(Math.abs(energy(model) - before) / swung).toBeLessThan(1e-5);
});

test('a small swing has the period of the linearised model', () => {
  const model = displaced(0.001);
  const reduced = (3 * 5) / (3 + 5);
  const omega = Math.sqrt((coupling * Math.cos(0.3) * SYNCHRONOUS_SPEED) / (2 * reduced));
  const period = (2 * Math.PI) / omega;
  const steps = Math.round(period * STEPS_PER_SECOND * 10);
  for (let step = 0; step < steps; step++) model.step((10 * period) / steps);
  expect(model.angle[0] - model.angle[1] - 0.3).toBeCloseTo(0.001, 5);
});

test('the integration is of order four: half the step, a sixteenth of the error', () => {
  const end = (steps: number) => {
    const model = displaced(0.8);
    for (let step = 0; step < steps; step++) model.step(2 / steps);
    return model.angle[0] - model.angle[1];
  };
  const exact = end(6400);
  const ratio = (end(100) - exact) / (end(200) - exact);
  expect(ratio).toBeGreaterThan(12);
  expect(ratio).toBeLessThan(20);
});
