// [coordinator] A search for the config that suits the data: starts of several kinds, then neighbours of the best, judged on the
// validation part alone; mixtures of the best last. The test part is scored once, for what was chosen.
import { availableParallelism } from 'node:os';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import { type FusionConfig, type FusionField, paperPreset, recommendedPreset } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import type { FusedModel } from '../model/fused-model.ts';
import { buildChosen } from './build-chosen.ts';
import { FitPool } from './fit-pool.ts';
import { type DoneFit, decodeFit, type FitRecord, type FitStore } from './fit-record.ts';
import { isWhole, wouldEndThere } from './give-up.ts';
import { chooseMembers, crossMixed, type MixedFits } from './mix-fits.ts';
import {
  type CheckedBudget,
  checkBudget,
  DEFAULT_FITS,
  MOST_FITS,
  type SearchBudget,
  secondsLeft,
} from './search-budget.ts';
import { checkSearchInput, inputIdentity, withoutTest } from './search-input.ts';
import type { SearchProgress, SearchReport, TriedFit } from './search-report.ts';
import {
  type Candidate,
  candidate,
  configKey,
  dearest,
  type FixedFields,
  FREE_STARTS,
  searchStarts,
  searchSteps,
} from './search-space.ts';
import { ABSENCE_WEIGHT, criterionOf, scoreSituations } from './situations.ts';

/** How to search. */
export interface SearchOptions {
  /** Default: 20 fits. */
  budget?: SearchBudget | undefined;
  /** How much absence counts in the choice, from 0 to 1. Default 0.5. */
  absenceWeight?: number | undefined;
  /** Fields that every config has, as the caller wants them. */
  fixed?: FixedFields | undefined;
  /** Where finished fits are kept; without it nothing is. */
  store?: (FitStore & { checkpoint?(name: string): string }) | undefined;
  /** Fits that are made side by side. By default the environment variable `F3_THREADS` decides, else there is one per core. */
  threads?: number | undefined;
  onProgress?: ((progress: SearchProgress) => void) | undefined;
  /** What makes the choice doubtful, in sentences. */
  onWarning?: ((message: string) => void) | undefined;
  /** Ends the search, which then rejects with the signal's reason. Finished fits are kept. */
  signal?: AbortSignal | undefined;
}

/** The last fits of a budget are the best config under other seeds: mixed, they gain more than another config would. */
const SEED_FITS = 2;
/** Smaller budgets go to configs alone. */
const LEAST_FOR_SEEDS = 8;

/** A fit of the search, in the order of planning. */
interface Trial {
  candidate: Candidate;
  record: FitRecord;
  tried: TriedFit;
}

/**
 * Finds a config on the validation part and returns its model, with `facts.search` saying what was tried. With a budget in
 * fits the result depends on input, options and seed, not on the number of threads, nor on interruptions.
 */
export async function searchFusion(
  engine: Engine,
  input: FusionInput,
  options: SearchOptions = {},
): Promise<FusedModel> {
  const search = new Search(input, options);
  const { report, trials, chosen } = await search.run();
  return buildChosen(
    engine,
    input,
    report,
    trials.map(({ record }) => record),
    chosen,
    options.fixed?.calibration ?? recommendedPreset.calibration,
  );
}

class Search {
  readonly #start = performance.now();
  readonly #seen: FusionInput;
  readonly #options: SearchOptions;
  readonly #budget: CheckedBudget;
  readonly #absenceWeight: number;
  readonly #about: string;
  readonly #threads: number;
  readonly #labels: Int32Array;
  readonly #trials: Trial[] = [];
  readonly #expanded = new Set<string>();
  #planned = 0;
  /** Fits that were made in this call, and their seconds, for the time left. */
  #made = { fits: 0, seconds: 0 };
  #outOfTime = false;
  /** Ends what is under way once time is over. */
  readonly #enough = new AbortController();

  constructor(input: FusionInput, options: SearchOptions) {
    const { budget, absenceWeight = ABSENCE_WEIGHT, onWarning } = options;
    this.#budget = checkBudget(budget);
    checkWeight(absenceWeight);
    checkSearchInput(input, onWarning);
    this.#seen = withoutTest(input);
    this.#options = options;
    this.#absenceWeight = absenceWeight;
    this.#about = inputIdentity(this.#seen);
    this.#threads = options.threads ?? (Number(process.env.F3_THREADS) || availableParallelism());
    const { labels, split } = this.#seen;
    this.#labels = Int32Array.from(split.validation, (row) => labels.labels[row]);
  }

  async run(): Promise<{ report: SearchReport; trials: Trial[]; chosen: number | number[] }> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const pool = new FitPool(this.#seen, this.#about, Math.min(this.#threads, this.#budget.fits));
    const { minutes } = this.#budget;
    const timer = minutes === undefined ? undefined : setTimeout(() => this.#endTime(), minutes * 60_000);
    try {
      const ended = signal ? AbortSignal.any([signal, this.#enough.signal]) : this.#enough.signal;
      await untilAborted(this.#explore(pool), ended).catch((error) => {
        if (!this.#enough.signal.aborted || signal?.aborted) throw error;
      });
    } finally {
      clearTimeout(timer);
      await pool.dispose();
    }
    return this.#choose();
  }

  /** Time that runs out before the first fit is done waits for it: no model would be no answer. */
  #endTime(): void {
    this.#outOfTime = true;
    if (this.#done().length > 0) this.#enough.abort();
  }

  async #explore(pool: FitPool): Promise<void> {
    const { fixed = {} } = this.#options;
    const seeds = this.#budget.fits >= LEAST_FOR_SEEDS ? SEED_FITS : 0;
    const starts = searchStarts(fixed);
    await this.#try(pool, starts.slice(0, FREE_STARTS), seeds);
    await this.#try(pool, starts.slice(FREE_STARTS), seeds);
    while (this.#left() > seeds && !this.#outOfTime) {
      const next = this.#byCriterion().find(({ candidate: { config } }) => !this.#expanded.has(configKey(config)));
      if (!next) break;
      const { config } = next.candidate;
      this.#expanded.add(configKey(config));
      const isCutShort = next.tried.epochs === config.epochs;
      await this.#try(pool, searchSteps(config, fixed, { name: this.#nameOf(next), isCutShort }), seeds);
      await this.#try(pool, this.#combined(next), seeds);
    }
    while (this.#left() > 0 && !this.#outOfTime) {
      const [best] = this.#byCriterion();
      if (!best) break;
      const { config } = best.candidate;
      const others = Array.from({ length: this.#planned + SEED_FITS }, (_, i) => {
        const seed = (fixed.seed ?? 0) + i + 1;
        return candidate({ ...config, seed }, `${this.#nameOf(best)} with seed ${seed}`);
      });
      await this.#try(pool, this.#fresh(others).slice(0, SEED_FITS), 0);
    }
  }

  /** Every change of one field that helped, all at once, where two or more did. */
  #combined(from: Trial): Candidate[] {
    const { config } = from.candidate;
    const gains = new Map<FusionField, { value: FusionConfig[FusionField]; criterion: number }>();
    for (const { candidate: other, tried } of this.#byCriterion()) {
      const changed = changedFields(config, other.config);
      if (changed.length !== 1 || !isBelow(tried.criterion, from.tried.criterion)) continue;
      const [field] = changed;
      const criterion = tried.criterion as number;
      if (!isBelow(gains.get(field)?.criterion ?? Number.POSITIVE_INFINITY, criterion)) {
        gains.set(field, { value: other.config[field], criterion });
      }
    }
    if (gains.size < 2) return [];
    const values = Object.fromEntries(Array.from(gains, ([field, { value }]) => [field, value]));
    const words = Array.from(gains, ([field, { value }]) => `${field} ${value}`).join(', ');
    return [candidate({ ...config, ...values }, `${this.#nameOf(from)} with ${words}`)];
  }

  /** Makes the fits that are new, as far as the budget goes, and waits for all of them: what comes next depends on them. */
  async #try(pool: FitPool, candidates: readonly Candidate[], reserve: number): Promise<void> {
    const room = this.#trials.length === 0 ? this.#left() : this.#left() - reserve;
    const round = this.#fresh(candidates).slice(0, Math.max(0, room));
    const first = this.#planned;
    this.#planned += round.length;
    const bar = this.#bar();
    const records = new Map<number, FitRecord>();
    // In the order of planning, whatever the order in which they end: time may run out between.
    const settle = (i: number, record: FitRecord) => {
      records.set(i, record);
      this.#trials.splice(first);
      for (const [at, one] of round.entries()) {
        const own = records.get(at);
        if (own) this.#trials.push({ candidate: one, record: own, tried: this.#judge(one, own) });
      }
      this.#report(first + i, round[i].name);
      if (this.#outOfTime) this.#endTime();
    };
    const tasks = round.flatMap((one, i) => {
      const name = configKey(one.config);
      const stored = this.#options.store?.load(name);
      const kept = stored && decodeFit(stored, `fit ${first + i + 1} of the search`, this.#about);
      if (kept && (kept.kind === 'failed' || wouldEndThere(kept, bar))) {
        settle(i, kept);
        return [];
      }
      return [
        {
          config: one.config,
          checkpoint: this.#options.store?.checkpoint?.(`${name} ${bar}`),
          bar,
          onStart: () => this.#report(first + i, one.name),
          onEpoch: ({ epoch }: { epoch: number }) => this.#report(first + i, one.name, epoch),
          onDone: (bytes: Uint8Array<ArrayBuffer>) => {
            // A store may hand the bytes to another thread, so they are read before.
            const record = decodeFit(bytes, `fit ${first + i + 1} of the search`, this.#about);
            this.#options.store?.save(name, bytes);
            this.#made = { fits: this.#made.fits + 1, seconds: this.#made.seconds + record.seconds };
            settle(i, record);
          },
        },
      ];
    });
    // With two threads the dearest fit begins first, so that none is left alone at the end. Time that runs out wants the cheap ones.
    if (this.#budget.minutes === undefined) tasks.sort((a, b) => dearest(a.config, b.config));
    await pool.run(tasks, () => !this.#outOfTime || this.#done().length === 0);
  }

  /** Those that were not tried yet. */
  #fresh(candidates: readonly Candidate[]): Candidate[] {
    const known = new Set(this.#trials.map(({ candidate: { config } }) => configKey(config)));
    return candidates.filter(({ config }) => !known.has(configKey(config)));
  }

  /** The validation loss, with everybody there, of the best fit so far; fits that fall behind it are given up. */
  #bar(): number | undefined {
    const [best] = this.#byCriterion();
    return best && (best.record as DoneFit).model.card.validation.loss;
  }

  #judge({ name, config }: Candidate, record: FitRecord): TriedFit {
    const tried = { name, config: differences(config), seconds: record.seconds, chosen: false };
    if (record.kind === 'failed') return { ...tried, criterion: null, situations: [], failure: record.reason };
    const { classes } = this.#seen.labels;
    const situations = scoreSituations(record.validation, this.#labels, classes.length, config.decision);
    const { epochs, bestEpoch } = record.model.card;
    const criterion = criterionOf(situations, this.#absenceWeight);
    return { ...tried, criterion, situations, epochs, bestEpoch, ...(!isWhole(record) && { givenUp: true }) };
  }

  #choose(): { report: SearchReport; trials: Trial[]; chosen: number | number[] } {
    const order = this.#byCriterion().map((trial) => this.#trials.indexOf(trial));
    if (order.length === 0) {
      const reason = this.#trials.map(({ tried }) => tried.failure).find((failure) => failure !== undefined);
      throw new F3Error('F3_FUSE_DIVERGED', `search: a fit must come to a finite loss, got none; ${reason}`);
    }
    const tried = this.#trials.map((trial) => trial.tried);
    let chosen: number | number[] = order[0];
    const mixture = this.#mixture(order);
    if (mixture) {
      const isBetter = isBelow(mixture.criterion, tried[order[0]].criterion);
      if (isBetter && mixture.members) chosen = mixture.members;
      tried.push({ ...mixture, chosen: isBetter });
    }
    if (typeof chosen === 'number') tried[chosen].chosen = true;
    const report: SearchReport = {
      absenceWeight: this.#absenceWeight,
      budget: this.#options.budget ?? { fits: DEFAULT_FITS },
      fits: this.#trials.length,
      outOfTime: this.#outOfTime,
      seconds: (performance.now() - this.#start) / 1000,
      tried,
    };
    return { report, trials: this.#trials, chosen };
  }

  /** The best fits mixed, where more than one is worth it. */
  #mixture(order: readonly number[]): TriedFit | undefined {
    const { classes } = this.#seen.labels;
    const fits = this.#trials.map(({ record }) => (record as Partial<DoneFit>).validation ?? []);
    const mixed: MixedFits = {
      fits,
      labels: this.#labels,
      classes: classes.length,
      absenceWeight: this.#absenceWeight,
    };
    const members = chooseMembers(mixed, order);
    if (members.length < 2) return undefined;
    const { decision } = this.#trials[members[0]].candidate.config;
    const situations = scoreSituations(crossMixed(mixed, members), this.#labels, classes.length, decision);
    const seconds = members.reduce((sum, member) => sum + this.#trials[member].record.seconds, 0);
    const name = `fits ${members.map((member) => member + 1).join(', ')} as one`;
    return {
      name,
      config: {},
      members,
      criterion: criterionOf(situations, this.#absenceWeight),
      situations,
      seconds,
      chosen: false,
    };
  }

  #done(): Trial[] {
    return this.#trials.filter(({ tried }) => Number.isFinite(tried.criterion));
  }

  /** Fits that came to something, the best first; of equals the one planned first. */
  #byCriterion(): Trial[] {
    return this.#done().sort((a, b) => (a.tried.criterion as number) - (b.tried.criterion as number));
  }

  /** As the table numbers it. */
  #nameOf(trial: Trial): string {
    return `fit ${this.#trials.indexOf(trial) + 1}`;
  }

  #left(): number {
    return this.#budget.fits - this.#planned;
  }

  #report(position: number, name: string, epoch?: number): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    const [best] = this.#byCriterion();
    const done = this.#trials.length;
    const isOpen = this.#budget.fits === MOST_FITS && this.#budget.minutes !== undefined;
    onProgress({
      stage: 'search',
      done,
      total: isOpen ? undefined : this.#budget.fits,
      fit: position + 1,
      name,
      epoch,
      best: best && { criterion: best.tried.criterion as number, name: best.tried.name },
      secondsLeft: secondsLeft(this.#budget, {
        done,
        threads: this.#threads,
        spent: (performance.now() - this.#start) / 1000,
        secondsPerFit: this.#made.fits > 0 ? this.#made.seconds / this.#made.fits : undefined,
      }),
    });
  }
}

const isBelow = (a: number | null, b: number | null): boolean => a !== null && b !== null && a < b;

const changedFields = (a: FusionConfig, b: FusionConfig): FusionField[] =>
  (Object.keys(a) as FusionField[]).filter((field) => a[field] !== b[field]);

function differences(config: FusionConfig): Partial<FusionConfig> {
  return Object.fromEntries(changedFields(paperPreset, config).map((field) => [field, config[field]]));
}

function checkWeight(weight: number): void {
  if (weight >= 0 && weight <= 1) return;
  throw new F3Error('F3_ARGUMENT', `absenceWeight: must be a number from 0 to 1, got ${weight}`);
}
