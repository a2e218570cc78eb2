import { describe, expect, test } from 'vitest';
import { solvedScene } from '../../../../../test/support/grid-scene.ts';
import { RandomStream } from '../../../../core/random.ts';
import { at } from '../network/complex.ts';
import { electricalDistances } from '../network/electrical-distance.ts';
import { type EventResponse, respond } from './event-response.ts';
import { allInService, drawEvent, EVENT_CLASSES, type GridEvent } from './events.ts';
import { faultPointImpedance } from './line-fault.ts';

const scene = solvedScene(6, 140, 28);
const { grid, state, kron, channels, reduced } = scene;
const buses = grid.buses.length;

function play(event: GridEvent, seconds = 3): EventResponse {
  return respond(grid.plants, state, kron, reduced, event, { rate: 30, seconds, offset: 3, channels: channels.length });
}

function draw(label: number, seed: number): GridEvent {
  kron.use(state.network, allInService(grid));
  return drawEvent(new RandomStream(seed, 0), label, scene);
}

/** Largest departure from frame 0, by bus voltage. */
function departures({ magnitudes, frames }: EventResponse): number[] {
  return Array.from({ length: buses }, (_, c) => {
    let largest = 0;
    for (let f = 0; f < frames; f++) {
      largest = Math.max(largest, Math.abs(magnitudes[f * channels.length + c] - magnitudes[c]));
    }
    return largest;
  });
}

test('an event in which nothing happens leaves every reading at its load flow value', () => {
  const nothing = {
    bus: 0,
    detail: {},
    switchings: [{ step: 0, network: state.network, inService: allInService(grid) }],
  };
  const response = play(nothing);
  expect(Math.max(...departures(response))).toBeLessThan(1e-9);
  for (let bus = 0; bus < buses; bus++) expect(response.magnitudes[bus]).toBeCloseTo(scene.flow.magnitude[bus], 8);
});

test('electrical distance is zero to oneself, symmetric, and positive to others', () => {
  kron.use(state.network, allInService(grid));
  const distances = electricalDistances(kron, buses);
  for (let i = 0; i < buses; i++) {
    expect(distances[i * buses + i]).toBeCloseTo(0, 12);
    for (let j = 0; j < i; j++) {
      expect(distances[i * buses + j]).toBeGreaterThan(0);
      expect(distances[i * buses + j]).toBeCloseTo(distances[j * buses + i], 9);
    }
  }
});

test('close to its end, a line shows the impedance of the bus there', () => {
  kron.use(state.network, allInService(grid));
  const line = grid.lines[7];
  const [re, im] = faultPointImpedance(kron, line, 1e-7);
  const bus = at(kron.impedanceColumn(line.from), line.from);
  expect(re).toBeCloseTo(bus[0], 6);
  expect(im).toBeCloseTo(bus[1], 6);
});

describe.each(EVENT_CLASSES.map((name, label) => ({ name, label })))('$name', ({ label }) => {
  test('weakens with electrical distance: the nearest quarter of the buses sees over twice what the farthest sees', () => {
    let logRatio = 0;
    const draws = 12;
    for (let seed = 0; seed < draws; seed++) {
      const event = draw(label, seed);
      const seen = departures(play(event));
      kron.use(state.network, allInService(grid));
      const row = electricalDistances(kron, buses).subarray(event.bus * buses, (event.bus + 1) * buses);
      const order = Array.from(row.keys()).sort((i, j) => row[i] - row[j]);
      const quarter = Math.floor(buses / 4);
      const typical = (some: number[]) => median(some.map((bus) => seen[bus]));
      logRatio += Math.log(typical(order.slice(0, quarter)) / typical(order.slice(-quarter))) / draws;
    }
    expect(Math.exp(logRatio)).toBeGreaterThan(2);
  });

  test('is drawn the same from the same stream', () => {
    const { detail, bus } = draw(label, 5);
    expect(draw(label, 5)).toMatchObject({ detail, bus });
  });
});

test('a line fault pulls voltages down while it lasts, and most rotors stay in step', () => {
  let stable = 0;
  for (let seed = 0; seed < 20; seed++) {
    const response = play(draw(0, seed));
    if (!response.isStable) continue;
    stable++;
    const sagged = Array.from(
      { length: buses },
      (_, c) => response.magnitudes[2 * channels.length + c] - response.magnitudes[c],
    );
    expect(Math.min(...sagged)).toBeLessThan(-0.02);
  }
  expect(stable).toBeGreaterThanOrEqual(18);
});

test('a generator trip lowers the frequency', () => {
  for (let seed = 0; seed < 5; seed++) expect(play(draw(1, seed), 4).frequency).toBeLessThan(0);
});

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1];
}
