// `fuse`: embeddings, labels and a split become a model, in one call.
import { Engine } from '../core/engine/engine.ts';
import { type BundleSource, countBundles } from '../exchange/bundle/bundle-sources.ts';
import { type LabelSource, readLabels } from '../exchange/labels/label-sources.ts';
import { readSplit, type SplitSource } from '../exchange/labels/split-sources.ts';
import type { FusionChoice } from '../fuse/fusion-config.ts';
import type { JoinedOwner } from '../fuse/join/bundle-join.ts';
import { freeInput, InputAssembly } from '../fuse/join/fusion-input.ts';
import { type GraphSource, graphWithout, readGraph } from '../fuse/join/given-graph.ts';
import type { SearchBudget } from '../fuse/search/search-budget.ts';
import type { SearchProgress } from '../fuse/search/search-report.ts';
import type { FixedFields } from '../fuse/search/search-space.ts';
import type { EpochReport } from '../fuse/training/training-state.ts';
import { learnerOf } from './learners.ts';
import { Model } from './model.ts';
import { addBundles, type ReadingProgress, requireKnown } from './read-bundles.ts';
import { type FieldsOf, requireFields } from './require-fields.ts';

/** An epoch of training. */
export interface EpochProgress extends EpochReport {
  stage: 'training';
  /** The learning rate under which it was trained. */
  learningRate: number;
  /** Which model of an ensemble, from 0. */
  member?: number;
}

/** How owners and samples met, once all bundles are read. */
export interface JoinReport {
  stage: 'joined';
  /** Every owner, with how much of its bundle was used. */
  owners: readonly JoinedOwner[];
  /** Labelled samples. */
  samples: number;
  /** Whether every owner saw every sample. */
  isComplete: boolean;
  /** Samples of the split that have no label or that no owner saw. */
  unused: number;
}

/** What `fuse` reports on its way: bundles that were read, how they met, epochs or the fits of a search. */
export type FuseProgress = ReadingProgress | JoinReport | EpochProgress | SearchProgress;

/** Where training keeps its state, so that an interrupted call can go on to the same bits. */
export interface CheckpointChoice {
  /** The folder, which is made where it does not exist. */
  folder: string;
  /** Go on from what is there; otherwise it is discarded. */
  resume?: boolean | undefined;
  /** Seconds between checkpoints. Default 3. */
  seconds?: number | undefined;
}

/** Several fits as one model: weighted and calibrated on the validation part. */
export interface EnsembleChoice {
  /** Fits of each config, which differ by their seed. Default 1. */
  fits?: number | undefined;
  /** Further configs beside the request's own, also of other methods. */
  others?: readonly FusionChoice[] | undefined;
  /** Fit a temperature, so that confidence and accuracy agree. Default true. */
  calibrate?: boolean | undefined;
}

/** A search in place of a preset: fields that are stated stay as stated, the others are searched. */
export type SearchChoice = FixedFields & { preset: 'auto' };

/** How a search is done, beside its budget. */
export interface SearchSettings {
  /** How much absent owners count in the choice, from 0 to 1. Default 0.5. */
  absenceWeight?: number | undefined;
  /**
   * A folder for finished fits, which is made where it does not exist. A search that was interrupted goes on from it by itself,
   * to the same result. It is removed when the model is saved.
   */
  folder?: string | undefined;
  /** Do not remove the folder: a later search with a larger budget repeats nothing. */
  keep?: boolean | undefined;
}

/** What a fusion needs, and how it is to be done. */
export interface FuseRequest {
  /** What the owners sent: files, folders, bytes or arrays. */
  bundles: BundleSource | readonly BundleSource[];
  /** The class of every sample: a file, bytes, an object, a map or arrays. */
  labels: LabelSource;
  /** Which samples train, validate and test: a seed (70, 10 and 20 % at random), a file, or ids. */
  split: SplitSource;
  /** All classes in their order; of two the second is the positive one. Default: those that occur, sorted. */
  classes?: readonly string[] | undefined;
  /** Owners to leave out, as if they had sent nothing: those who will not be there when the model predicts. */
  without?: readonly string[] | undefined;
  /** A preset and what differs from it, or a search with preset `auto`. Default: what we advise. */
  config?: FusionChoice | SearchChoice | undefined;
  /** How much a search may do, for preset `auto`. Default: 20 fits. */
  budget?: SearchBudget | undefined;
  /** How a search is done, for preset `auto`. */
  search?: SearchSettings | undefined;
  /** A graph between owners, for `graph: 'given'`. */
  graph?: GraphSource | undefined;
  /** Each is tried, and the one with the lowest validation loss is kept. Default: the config's. */
  learningRates?: readonly number[] | undefined;
  /** Train several models and serve them as one; the answers then carry an uncertainty. */
  ensemble?: EnsembleChoice | undefined;
  /** Kept while training runs, and removed when the model is saved. */
  checkpoint?: CheckpointChoice | undefined;
  /** Default: F3_THREADS, else all cores. The result does not depend on it. */
  threads?: number | undefined;
  /** Stops at the next step; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called after every bundle, after the join and after every epoch. */
  onProgress?: ((progress: FuseProgress) => void) | undefined;
  /** What is unusual about the input, in sentences. Default: not reported. */
  onWarning?: ((message: string) => void) | undefined;
}

const REQUEST_FIELDS: FieldsOf<FuseRequest> = {
  bundles: true,
  labels: true,
  split: true,
  classes: true,
  without: true,
  config: true,
  budget: true,
  search: true,
  graph: true,
  learningRates: true,
  ensemble: true,
  checkpoint: true,
  threads: true,
  signal: true,
  onProgress: true,
  onWarning: true,
};

function checkRequest(request: FuseRequest): void {
  requireFields('request', request, REQUEST_FIELDS);
  const { budget = {}, search = {}, ensemble = {}, checkpoint = {} } = request;
  requireFields<SearchBudget>('budget', budget, { fits: true, minutes: true });
  requireFields<SearchSettings>('search', search, { absenceWeight: true, folder: true, keep: true });
  requireFields<EnsembleChoice>('ensemble', ensemble, { fits: true, others: true, calibrate: true });
  requireFields<CheckpointChoice>('checkpoint', checkpoint, { folder: true, resume: true, seconds: true });
}

/** Learns how the owners' embeddings fit together. The model holds memory until it is disposed. */
export async function fuse(request: FuseRequest): Promise<Model> {
  checkRequest(request);
  const { signal, onProgress } = request;
  const learner = learnerOf(request);
  const labels = await readLabels(request.labels, request.classes);
  const split = await readSplit(request.split, labels.samples);
  const graph = request.graph === undefined ? undefined : graphWithout(await readGraph(request.graph), request.without);
  const engine = new Engine({ threads: request.threads });
  try {
    const expected = countBundles(request.bundles);
    const assembly = new InputAssembly(engine, { labels, split, graph, votes: learner.votes, expected });
    requireKnown(request.without, await addBundles(request.bundles, assembly, request));
    const input = assembly.finish();
    const { owners, samples, isComplete } = input.joined;
    onProgress?.({ stage: 'joined', owners, samples: samples.length, isComplete, unused: assembly.unused });
    const { fused, onSaved } = await learner.learn(engine, input);
    signal?.throwIfAborted();
    freeInput(engine, input);
    return new Model(engine, fused, { onSaved });
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
