// Runs rows of a table of scores. A finished run is kept under a name made of all it depends on, so nothing runs twice.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { Engine } from '../../core/engine/engine.ts';
import { openDataset } from '../../data/dataset/dataset.ts';
import { mixModels } from '../../fuse/fuse-ensemble.ts';
import { fuseOwners } from '../../fuse/fuse-owners.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import type { FusionInput } from '../../fuse/join/fusion-input.ts';
import { disposeFusedModel, type FusedModel, predictProbabilities } from '../../fuse/model/fused-model.ts';
import { loadFusedModel, saveFusedModel } from '../../fuse/model/model-folder.ts';
import { calibration } from '../../fuse/scores/calibration.ts';
import { calibrationFloor } from '../../fuse/scores/calibration-floor.ts';
import type { Scores } from '../../fuse/scores/scores.ts';
import { SearchFolder } from '../../fuse/search/search-folder.ts';
import { searchFusion } from '../../fuse/search/search-fusion.ts';
import { inputIdentity } from '../../fuse/search/search-input.ts';
import type { SearchProgress } from '../../fuse/search/search-report.ts';
import type { EpochReport } from '../../fuse/training/training-state.ts';
import { type AbsencePoint, absenceCurve, absencePoint, absentChoices } from '../../infer/absent-owners.ts';
import { datasetInput } from '../dataset-input.ts';
import type { ExperimentContext } from '../experiment.ts';
import type { FoundDataset } from '../find-dataset.ts';
import type { OwnerVariantName } from '../owner-variants.ts';
import { type PreparedOwners, prepareOwners } from '../prepare-owners.ts';
import { fuseWithout } from './fuse-without.ts';
import { loadFederation, type Start } from './load-federation.ts';
import type { ScoreRow, ScoreRun } from './score-row.ts';
import { trainEndToEnd } from './train-end-to-end.ts';

/** What is kept of a run; its model lies beside it. */
type FinishedRun = Omit<ScoreRun, 'row' | 'ownerSeconds' | 'absence' | 'calibrationFloor' | 'model'>;

/** Name of the folder with a run's model. */
const MODEL = 'model';
/** Name of the folder with the fits of a search under way. */
const SEARCH = 'search';
/** How many random choices of absent owners are averaged, for each share. */
const ABSENCE_REPEATS = 3;
/** Raise this when a change of the code changes results. */
const RUN_VERSION = 1;

export interface RunWatch {
  /** Is called when the owners are ready and the run begins. */
  onStart: () => void;
  onEpoch: (report: EpochReport) => void;
  onSearch: (progress: SearchProgress) => void;
}

/** Keeps one variant's bundles joined in memory while consecutive rows use them. */
export class ScoreWorkbench {
  readonly #dataset: FoundDataset;
  readonly #context: ExperimentContext;
  #loaded: { owners: OwnerVariantName; engine: Engine; input: FusionInput } | undefined;

  constructor(dataset: FoundDataset, context: ExperimentContext) {
    this.#dataset = dataset;
    this.#context = context;
  }

  /** The run that is kept, or a new one. */
  async run(row: ScoreRow, config: FusionConfig, absent: readonly number[], watch: RunWatch): Promise<ScoreRun> {
    const prepared = await prepareOwners(this.#dataset, row.owners, this.#context);
    watch.onStart();
    const dir = join(this.#context.cache, 'runs', runKey(prepared, config, row));
    const run = await this.#once(join(dir, 'run.json'), () =>
      row.endToEnd
        ? this.#endToEnd(row.endToEnd, prepared, config, watch)
        : row.search
          ? this.#search(row, row.search, prepared, config, dir, watch)
          : this.#fuse(row, prepared, config, dir, watch),
    );
    return this.#withAbsence(run, row, prepared, dir, absent, config);
  }

  async #withAbsence(
    run: FinishedRun,
    row: ScoreRow,
    prepared: PreparedOwners,
    dir: string,
    absent: readonly number[],
    config: FusionConfig,
  ): Promise<ScoreRun> {
    const model = join(dir, MODEL);
    const hasModel = existsSync(model);
    const whole: ScoreRun = {
      ...run,
      row: row.id,
      ownerSeconds: prepared.seconds,
      model: hasModel ? model : undefined,
    };
    if (!hasModel || absent.length === 0) return whole;
    const file = join(dir, `absence-${absent.join('-')}.json`);
    const absence = row.anew
      ? await this.#absenceAnew(row, prepared, config, dir, absent)
      : await this.#once(file, () => this.#absence(row.owners, prepared, model, absent));
    const floor = await this.#once(join(dir, 'calibration-floor.json'), () => this.#floor(row.owners, prepared, model));
    return { ...whole, absence, calibrationFloor: floor };
  }

  /** The fits of `row` under each of the configs, mixed into one model. */
  async mix(
    row: ScoreRow,
    member: ScoreRow,
    configs: readonly FusionConfig[],
    absent: readonly number[],
    watch: RunWatch,
  ): Promise<ScoreRun> {
    const runs: ScoreRun[] = [];
    for (const config of configs) runs.push(await this.run(member, config, [], watch));
    const models = runs.flatMap(({ model }) => (model === undefined ? [] : [model]));
    const prepared = await prepareOwners(this.#dataset, row.owners, this.#context);
    const key = sha256(JSON.stringify(['mixed', RUN_VERSION, ...models.map((model) => basename(dirname(model)))]));
    const dir = join(this.#context.cache, 'runs', key.slice(0, 16));
    const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
    const run = await this.#once(join(dir, 'run.json'), async () => {
      const { engine, input } = await this.#load(row.owners, prepared);
      const members = await Promise.all(models.map((model) => loadFusedModel(engine, model)));
      const single = members.filter((model) => model.kind !== 'ensemble');
      return this.#finish(mixModels(engine, input, single, { calibrate: true, seconds }), configs[0].seed, dir);
    });
    return this.#withAbsence(run, row, prepared, dir, absent, configs[0]);
  }

  /** Gives what the file says, or else what `make` gives, which is then kept in the file. */
  async #once<Result>(file: string, make: () => Promise<Result>): Promise<Result> {
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Result;
    const result = await make();
    this.#context.signal?.throwIfAborted();
    mkdirSync(dirname(file), { recursive: true });
    writeWholeFile(file, JSON.stringify(result));
    return result;
  }

  async #absence(
    owners: OwnerVariantName,
    prepared: PreparedOwners,
    dir: string,
    shares: readonly number[],
  ): Promise<AbsencePoint[]> {
    const { engine, input } = await this.#load(owners, prepared);
    const { joined, labels, split } = input;
    const model = await loadFusedModel(engine, dir);
    const truth = Int32Array.from(split.test, (row) => labels.labels[row]);
    const curve = absenceCurve(engine, model, joined, split.test, truth, { shares, repeats: ABSENCE_REPEATS });
    disposeFusedModel(model);
    return curve;
  }

  /** A fit of those who are there, for every choice of the absent owners. */
  async #absenceAnew(
    { owners, learningRates }: ScoreRow,
    prepared: PreparedOwners,
    config: FusionConfig,
    dir: string,
    shares: readonly number[],
  ): Promise<AbsencePoint[]> {
    const points: AbsencePoint[] = [];
    for (const share of shares) {
      const { engine, input } = await this.#load(owners, prepared);
      const choices = absentChoices(input.joined.owners.length, share, { repeats: ABSENCE_REPEATS });
      const measured: Scores[] = [];
      for (const [i, away] of choices.entries()) {
        const file = join(dir, `anew-${share}-${i}.json`);
        const fit = () => fuseWithout(engine, input, away, config, { learningRates, signal: this.#context.signal });
        measured.push(await this.#once(file, fit));
      }
      points.push(absencePoint(share, measured));
    }
    return points;
  }

  async #floor(owners: OwnerVariantName, prepared: PreparedOwners, dir: string): Promise<number> {
    const { engine, input } = await this.#load(owners, prepared);
    const { joined, labels, split } = input;
    const model = await loadFusedModel(engine, dir);
    const floor = calibrationFloor(predictProbabilities(engine, model, joined, split.test), labels.classes.length);
    disposeFusedModel(model);
    return floor;
  }

  async #fuse(
    { owners, learningRates }: ScoreRow,
    prepared: PreparedOwners,
    config: FusionConfig,
    dir: string,
    { onEpoch }: RunWatch,
  ): Promise<FinishedRun> {
    const { engine, input } = await this.#load(owners, prepared);
    const { signal } = this.#context;
    const fused = await fuseOwners(engine, input, config, {
      signal,
      onEpoch,
      learningRates: learningRates ?? [config.learningRate],
    });
    return this.#finish(fused, config.seed, dir);
  }

  async #search(
    { owners }: ScoreRow,
    budget: { fits: number },
    prepared: PreparedOwners,
    { seed }: FusionConfig,
    dir: string,
    { onSearch }: RunWatch,
  ): Promise<FinishedRun> {
    const { engine, input } = await this.#load(owners, prepared);
    const { threads, signal } = this.#context;
    mkdirSync(dir, { recursive: true });
    const store = await SearchFolder.open(join(dir, SEARCH), inputIdentity(input));
    try {
      const options = { budget, fixed: { seed }, store, threads, signal, onProgress: onSearch };
      const fused = await searchFusion(engine, input, options);
      const { search } = fused.facts;
      const run = this.#finish(fused, seed, dir);
      store.remove();
      return { ...run, seconds: search?.seconds ?? run.seconds };
    } finally {
      store.close();
    }
  }

  /** Scores the model, keeps it and gives its memory back. */
  #finish(fused: FusedModel, seed: number, dir: string): FinishedRun {
    if (!this.#loaded) throw new Error('a model can only be finished while its owners are loaded');
    const { engine, input } = this.#loaded;
    const { signal } = this.#context;
    const { epochs, bestEpoch, seconds, validation, test, history } = fused.facts;
    const bytes = input.joined.owners.reduce((sum, { rows, width }) => sum + rows * width * 4, 0);
    const calibrationError =
      fused.kind === 'voting' || signal?.aborted ? undefined : testCalibration(engine, fused, input);
    if (fused.kind !== 'voting') {
      if (!signal?.aborted) saveFusedModel(join(dir, MODEL), fused, { overwrite: true });
      disposeFusedModel(fused);
    }
    return {
      seed,
      calibrationError,
      epochs,
      bestEpoch,
      seconds,
      validation,
      test,
      history,
      messages: input.joined.owners.length,
      bytes,
    };
  }

  async #endToEnd(
    start: Start,
    prepared: PreparedOwners,
    config: FusionConfig,
    { onEpoch }: RunWatch,
  ): Promise<FinishedRun> {
    await this.#unload();
    const { threads, signal } = this.#context;
    const engine = new Engine({ threads });
    try {
      const { folders } = prepared;
      const { seed } = config;
      const { owners, labels, split } = await loadFederation(engine, this.#dataset.dir, { start, seed, folders });
      const training = await trainEndToEnd(engine, owners, labels, split, config, { signal, onEpoch });
      const { epochs, bestEpoch, seconds, validation, test, history, traffic } = training;
      const { messages, bytes } = traffic.total;
      return { seed, epochs, bestEpoch, seconds, validation, test, history, messages, bytes };
    } finally {
      await engine.dispose();
    }
  }

  async #load(owners: OwnerVariantName, { bundles }: PreparedOwners) {
    if (this.#loaded?.owners === owners) return this.#loaded;
    await this.#unload();
    const { threads, progress } = this.#context;
    const engine = new Engine({ threads });
    const input = await datasetInput(engine, await openDataset(this.#dataset.dir), bundles, {
      onBundle: (done, total) => progress('reading bundles', done, total),
    });
    this.#loaded = { owners, engine, input };
    return this.#loaded;
  }

  async #unload(): Promise<void> {
    await this.#loaded?.engine.dispose();
    this.#loaded = undefined;
  }

  dispose(): Promise<void> {
    return this.#unload();
  }
}

function testCalibration(engine: Engine, model: FusedModel, { joined, labels, split }: FusionInput): number {
  const truth = Int32Array.from(split.test, (row) => labels.labels[row]);
  const probabilities = predictProbabilities(engine, model, joined, split.test);
  return calibration(probabilities, truth, labels.classes.length).expectedError;
}

/** The bundles' folder is named after the data and the owners' options; with the config, that is all a run depends on. */
function runKey({ bundles }: PreparedOwners, config: FusionConfig, row: ScoreRow): string {
  const { endToEnd, learningRates, search } = row;
  const owners = dirname(bundles).split(/[\\/]/).at(-1);
  const more = [...(learningRates ? [learningRates] : []), ...(search ? [search] : [])];
  const what = JSON.stringify([RUN_VERSION, owners, Object.entries(config).sort(), endToEnd ?? 'frozen', ...more]);
  return sha256(what).slice(0, 16);
}
