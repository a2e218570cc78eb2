// [owner] One sample from (seed, sample, label): operating point, event, three-minute records, every owner's window.

import { drawGaps, interpolateGaps } from './availability.ts';
import { type EventResponse, respond } from './events/event-response.ts';
import { allInService, drawEvent, type GridEvent } from './events/events.ts';
import type { Grid } from './grid.ts';
import { AmbientCauses } from './network/ambient-causes.ts';
import { type AmbientSensitivity, ambientSensitivity } from './network/ambient-sensitivity.ts';
import { KronReduction } from './network/kron-reduction.ts';
import { LoadFlowSolver } from './network/load-flow.ts';
import { type Mode, slowestModes } from './network/mode-shapes.ts';
import { averageOperation, drawOperation } from './network/operating-point.ts';
import { steadyState } from './network/steady-state.ts';
import { channelsOf, noiseOf, type Pmu } from './pmu.ts';
import { QuickNormal } from './quick-normal.ts';
import { between, sampleStream } from './random-streams.ts';
import { EventSeries, largestScore, RECORD_SECONDS, WINDOW_SECONDS, windowStart } from './record.ts';
import { STEPS_PER_SECOND } from './time-steps.ts';

/** Seconds simulated in detail; an oscillation needs longer to show its steady form. */
const DETAIL_SECONDS = 4;
const OSCILLATION_SECONDS = 10;
/** The event lies somewhere in the middle of the record. */
const EVENT_SECONDS = [50, 130] as const;
const MODES = 6;
const MAX_DRAWS = 50;

export interface SampleTruth {
  event: GridEvent;
  /** Seconds from the record's beginning. */
  eventSecond: number;
  windowSecond: number;
  /** The owner whose reading placed the window, and the z-score of that reading. */
  peakOwner: number;
  peakScore: number;
  /** Mean frequency deviation at the end of the detailed simulation, hertz. */
  frequency: number;
  /** Events drawn before this one in which a plant fell out of step. */
  discarded: number;
}

/** Takes each window that has readings: [time, variate] in the order of the PMU's variates. */
export type WindowSink = (owner: number, window: Float64Array) => void;

interface Scene {
  event: GridEvent;
  response: EventResponse;
  ambient: AmbientSensitivity;
  /** Integration steps from the record's beginning. */
  eventStep: number;
  discarded: number;
}

export class SampleSimulator {
  readonly #seed: number;
  readonly #grid: Grid;
  readonly #pmus: readonly Pmu[];
  readonly #solver: LoadFlowSolver;
  readonly #kron: KronReduction;
  readonly #allInService: Float64Array;
  readonly #modes: Mode[];
  /** Per channel, at its unit's rate. */
  readonly #records: Float32Array[];
  readonly #causes: AmbientCauses;
  /** The lost frames of one unit; the next unit overwrites them. */
  readonly #isLost: Uint8Array;
  /** The fastest unit's reports per second. */
  readonly #rate: number;

  constructor(seed: number, grid: Grid, pmus: readonly Pmu[]) {
    this.#seed = seed;
    this.#grid = grid;
    this.#pmus = pmus;
    this.#rate = Math.max(...pmus.map(({ rate }) => rate));
    this.#records = pmus.flatMap(({ rate }) => [0, 1].map(() => new Float32Array(rate * RECORD_SECONDS)));
    this.#isLost = new Uint8Array(RECORD_SECONDS * this.#rate);
    this.#solver = new LoadFlowSolver(grid.lines, grid.buses.length, grid.plants);
    this.#kron = new KronReduction(grid.lines, grid.buses.length, grid.plants, channelsOf(pmus));
    this.#allInService = allInService(grid);
    const operation = averageOperation(grid);
    const state = steadyState(grid, operation, this.#solver.solve(operation));
    this.#kron.use(state.network, this.#allInService);
    this.#modes = slowestModes(grid.plants, state.emf, state.angle, this.#kron.reduce(), MODES);
    this.#causes = new AmbientCauses(grid.regions, this.#modes);
  }

  /** isPresent: [owner], 1 for those who record at all in this sample. */
  simulate(sample: number, label: number, isPresent: Uint8Array, sink: WindowSink): SampleTruth {
    const scene = this.#play(sample, label);
    const { second, score, owner } = this.#record(sample, scene, isPresent);
    const windowSecond = windowStart(second);
    for (let i = 0; i < this.#pmus.length; i++) {
      const window = isPresent[i] === 1 ? this.#cut(i, windowSecond) : undefined;
      if (window !== undefined) sink(i, window);
    }
    return {
      event: scene.event,
      eventSecond: scene.eventStep / STEPS_PER_SECOND,
      windowSecond,
      peakOwner: owner,
      peakScore: score,
      frequency: scene.response.frequency,
      discarded: scene.discarded,
    };
  }

  /** Plays the grid's part: load flow, event, swing. */
  #play(sample: number, label: number): Scene {
    const operation = drawOperation(sampleStream(this.#seed, sample, 'operation'), this.#grid);
    const flow = this.#solver.solve(operation);
    const state = steadyState(this.#grid, operation, flow);
    this.#kron.use(state.network, this.#allInService);
    const before = this.#kron.reduce();
    const ambient = ambientSensitivity(this.#grid, this.#pmus, state, this.#kron, before, this.#modes);
    const random = sampleStream(this.#seed, sample, 'event');
    const eventStep = Math.floor(between(random, ...EVENT_SECONDS) * STEPS_PER_SECOND);
    const offset = eventStep % (STEPS_PER_SECOND / this.#rate);
    for (let discarded = 0; discarded < MAX_DRAWS; discarded++) {
      this.#kron.use(state.network, this.#allInService);
      const event = drawEvent(random, label, { grid: this.#grid, state, kron: this.#kron });
      const seconds = event.forced === undefined ? DETAIL_SECONDS : OSCILLATION_SECONDS;
      const plan = { rate: this.#rate, seconds, offset, channels: this.#records.length };
      const response = respond(this.#grid.plants, state, this.#kron, before, event, plan);
      if (response.isStable) return { event, response, ambient, eventStep, discarded };
    }
    throw new Error(`sample ${sample}: ${MAX_DRAWS} events in a row left the grid out of step`);
  }

  /** Plays the units' part: fills the records of those present and finds the reading that stands out most. */
  #record(sample: number, { event, response, ambient, eventStep }: Scene, isPresent: Uint8Array) {
    const channels = this.#records.length;
    const eventTick = Math.floor((eventStep * this.#rate) / STEPS_PER_SECOND);
    const normal = new QuickNormal(sampleStream(this.#seed, sample, 'ambient'));
    const noise = new QuickNormal(sampleStream(this.#seed, sample, 'noise'));
    const gaps = sampleStream(this.#seed, sample, 'gaps');
    this.#causes.draw(normal);
    let best = { second: 0, score: -1, owner: -1 };
    this.#pmus.forEach((pmu, owner) => {
      if (isPresent[owner] === 0) return;
      const stride = this.#rate / pmu.rate;
      const isLost = this.#isLost.subarray(0, RECORD_SECONDS * pmu.rate);
      const ownLoad = this.#causes.drawOwnLoad(normal);
      drawGaps(gaps, isLost, pmu.rate);
      for (const variate of pmu.variates) {
        const c = 2 * owner + (variate === 'voltage' ? 0 : 1);
        const record = this.#records[c];
        const series = new EventSeries(response, this.#rate, c, channels, event.forced?.hertz);
        series.fill(record, stride, eventTick);
        const sigma = noiseOf(pmu, variate, record[0]);
        const slopes = ambient.sensitivity.subarray(c * ambient.causes, (c + 1) * ambient.causes);
        this.#causes.addTo(record, pmu.rate, slopes, ownLoad, ambient.ownSensitivity[c]);
        addNoise(record, noise, sigma, isLost);
        const peak = largestScore(record, pmu.rate);
        if (peak.score > best.score) best = { ...peak, owner };
      }
    });
    return best;
  }

  /** An owner's window with its gaps filled; undefined when one of its variates has no reading at all. */
  #cut(owner: number, second: number): Float64Array | undefined {
    const { rate, variates } = this.#pmus[owner];
    const length = WINDOW_SECONDS * rate;
    const start = Math.round(second * rate);
    const window = new Float64Array(length * variates.length);
    for (let v = 0; v < variates.length; v++) {
      const record = this.#records[2 * owner + (variates[v] === 'voltage' ? 0 : 1)];
      const values = Float64Array.from(record.subarray(start, start + length));
      if (!interpolateGaps(values)) return undefined;
      for (let t = 0; t < length; t++) window[t * variates.length + v] = values[t];
    }
    return window;
  }
}

/** record += sigma·noise; NaN where lost. */
function addNoise(record: Float32Array, noise: QuickNormal, sigma: number, isLost: Uint8Array): void {
  for (let frame = 0; frame < record.length; frame++) {
    const value = record[frame] + sigma * noise.next();
    record[frame] = isLost[frame] === 1 ? Number.NaN : value;
  }
}
