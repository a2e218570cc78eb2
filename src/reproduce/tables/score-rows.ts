// Scores of rows × seeds on one data set: every run is kept under a name made of all it depends on, so nothing runs twice.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { Engine } from '../../core/engine/engine.ts';
import { openDataset } from '../../data/dataset/dataset.ts';
import { fuseOwners } from '../../fuse/fuse-owners.ts';
import { type FusionConfig, type FusionPreset, fusionPresets, isVoteMethod } from '../../fuse/fusion-config.ts';
import type { FusionInput } from '../../fuse/join/fusion-input.ts';
import { disposeFusedModel } from '../../fuse/model/fused-model.ts';
import { loadFusedModel, saveFusedModel } from '../../fuse/model/model-folder.ts';
import type { Scores } from '../../fuse/scores/scores.ts';
import type { EpochReport } from '../../fuse/training/training-state.ts';
import { type AbsencePoint, absenceCurve } from '../../infer/absent-owners.ts';
import { datasetInput } from '../dataset-input.ts';
import type { ExperimentContext } from '../experiment.ts';
import type { FoundDataset } from '../find-dataset.ts';
import type { OwnerVariantName } from '../owner-variants.ts';
import { type PreparedOwners, prepareOwners } from '../prepare-owners.ts';
import { loadFederation } from './load-federation.ts';
import { type RowSeconds, TimeLeft } from './time-left.ts';
import { trainEndToEnd } from './train-end-to-end.ts';

export interface ScoreRow {
  id: string;
  name: string;
  owners: OwnerVariantName;
  /** Default: paper. */
  preset?: FusionPreset;
  /** Changes to the preset. */
  fusion: Partial<FusionConfig>;
  /** Tried in turn, the best on validation kept. Default: the preset's alone. */
  learningRates?: number[];
  /** Rows L and M: gradients into the owners' models. */
  endToEnd?: 'pre-trained' | 'scratch';
}

export interface ScoreRun {
  row: string;
  seed: number;
  epochs: number;
  bestEpoch: number;
  seconds: number;
  validation: Scores;
  test: Scores;
  history: EpochReport[];
  /** What crossed the wire in training. */
  messages: number;
  bytes: number;
  /** Folder of the fused model, where there is one. */
  model?: string;
  /** Seconds that the owners' models took, one thread each, added up. */
  ownerSeconds: number;
  /** Scores with owners absent, where they were asked for and there is a model. */
  absence?: AbsencePoint[];
}

export interface ScoreOptions {
  /** Shares of owners to take away at random from the test part. */
  absent?: readonly number[];
  /** What rows took on record. */
  rowSeconds?: RowSeconds | undefined;
}

/** What is kept of a run; its model lies beside it. */
type FinishedRun = Omit<ScoreRun, 'row' | 'ownerSeconds' | 'absence' | 'model'>;

/** Folder of a run's model. */
const MODEL = 'model';
/** Random choices of absent owners, per share. */
const ABSENCE_REPEATS = 3;
/** Bump when a change of the code changes results. */
const RUN_VERSION = 1;

/** All runs of `rows` under seeds 1 … seeds, in this order. Votes learn nothing at random and run once. */
export async function scoreRows(
  dataset: FoundDataset,
  rows: readonly ScoreRow[],
  context: ExperimentContext,
  { absent = [], rowSeconds }: ScoreOptions = {},
): Promise<ScoreRun[]> {
  const jobs = rows.flatMap((row) => {
    const config = { ...fusionPresets[row.preset ?? 'paper'], ...row.fusion };
    const seeds = isVoteMethod(config.method) ? 1 : context.seeds;
    return Array.from({ length: seeds }, (_, i) => ({ row, config: { ...config, seed: i + 1 } }));
  });
  const stage = `${dataset.name}: rows × seeds`;
  const runs: ScoreRun[] = [];
  const workbench = new Workbench(dataset, context);
  const time = new TimeLeft(
    jobs.map(({ row }) => row.id),
    rowSeconds,
  );
  try {
    for (const [i, { row, config }] of jobs.entries()) {
      let start = performance.now();
      const running = () => (performance.now() - start) / 1000;
      const tell = (note: string) => {
        const secondsLeft = time.seconds(running());
        context.progress(stage, i, jobs.length, { secondsLeft, note: `row ${row.id}, seed ${config.seed}${note}` });
      };
      context.signal?.throwIfAborted();
      runs.push(
        await workbench.run(row, config, absent, {
          onStart: () => {
            start = performance.now(); // owners were trained before
            tell('');
          },
          onEpoch: ({ epoch }) => tell(`, epoch ${epoch}`),
        }),
      );
      time.finished(running());
    }
    context.progress(stage, jobs.length, jobs.length);
  } finally {
    await workbench.dispose();
  }
  return runs;
}

interface RunWatch {
  /** The owners are ready. */
  onStart: () => void;
  onEpoch: (report: EpochReport) => void;
}

/** Keeps one variant's bundles joined in memory while consecutive rows use them. */
class Workbench {
  readonly #dataset: FoundDataset;
  readonly #context: ExperimentContext;
  #loaded: { owners: OwnerVariantName; engine: Engine; input: FusionInput } | undefined;

  constructor(dataset: FoundDataset, context: ExperimentContext) {
    this.#dataset = dataset;
    this.#context = context;
  }

  async run(row: ScoreRow, config: FusionConfig, absent: readonly number[], watch: RunWatch): Promise<ScoreRun> {
    const prepared = await prepareOwners(this.#dataset, row.owners, this.#context);
    watch.onStart();
    const dir = join(this.#context.cache, 'runs', runKey(prepared, config, row));
    const run = await this.#once(join(dir, 'run.json'), () =>
      row.endToEnd
        ? this.#endToEnd(row.endToEnd, prepared, config, watch)
        : this.#fuse(row, prepared, config, dir, watch),
    );
    const model = join(dir, MODEL);
    const whole = { ...run, row: row.id, ownerSeconds: prepared.seconds, ...(existsSync(model) && { model }) };
    if (!whole.model || absent.length === 0) return whole;
    const file = join(dir, `absence-${absent.join('-')}.json`);
    return { ...whole, absence: await this.#once(file, () => this.#absence(row.owners, prepared, model, absent)) };
  }

  /** What the file says, or what `make` gives, which is then kept in the file. */
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

  async #fuse(
    { owners, learningRates }: ScoreRow,
    prepared: PreparedOwners,
    config: FusionConfig,
    dir: string,
    { onEpoch }: RunWatch,
  ): Promise<FinishedRun> {
    const { engine, input } = await this.#load(owners, prepared);
    const { signal } = this.#context;
    const fused = await fuseOwners(engine, input, config, { signal, onEpoch, ...(learningRates && { learningRates }) });
    const { epochs, bestEpoch, seconds, validation, test, history } = fused.facts;
    const bytes = input.joined.owners.reduce((sum, { rows, width }) => sum + rows * width * 4, 0);
    const run = { seed: config.seed, epochs, bestEpoch, seconds, validation, test, history };
    const sent = { messages: input.joined.owners.length, bytes };
    if (fused.kind === 'voting') return { ...run, ...sent };
    if (!signal?.aborted) saveFusedModel(join(dir, MODEL), fused, { overwrite: true });
    fused.network.dispose();
    return { ...run, ...sent };
  }

  async #endToEnd(
    start: 'pre-trained' | 'scratch',
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
      const {
        traffic,
        oneUpload: _,
        ...run
      } = await trainEndToEnd(engine, owners, labels, split, config, {
        signal,
        onEpoch,
      });
      const { epochs, bestEpoch, seconds, validation, test, history } = run;
      return { ...{ seed, epochs, bestEpoch, seconds, validation, test, history }, ...traffic.total };
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

/** The bundles' folder is named after the data and the owners' options: with the config it says all there is to say. */
function runKey({ bundles }: PreparedOwners, config: FusionConfig, { endToEnd, learningRates }: ScoreRow): string {
  const owners = dirname(bundles).split(/[\\/]/).at(-1);
  const rates = learningRates ? [learningRates] : [];
  const what = JSON.stringify([RUN_VERSION, owners, Object.entries(config).sort(), endToEnd ?? 'frozen', ...rates]);
  return sha256(what).slice(0, 16);
}
