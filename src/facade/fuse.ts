// `fuse`: embeddings, labels and a split become a model, in one call.
import { Engine } from '../core/engine/engine.ts';
import { F3Error } from '../errors.ts';
import { type BundleSource, countBundles } from '../exchange/bundle/bundle-sources.ts';
import { type LabelSource, readLabels } from '../exchange/labels/label-sources.ts';
import { readSplit, type SplitSource } from '../exchange/labels/split-sources.ts';
import { resolveUsefulConfig } from '../fuse/field-purposes.ts';
import { fuseEnsemble } from '../fuse/fuse-ensemble.ts';
import { fuseOwners } from '../fuse/fuse-owners.ts';
import { type FusionChoice, type FusionConfig, isVoteMethod } from '../fuse/fusion-config.ts';
import type { JoinedOwner } from '../fuse/join/bundle-join.ts';
import { freeInput, InputAssembly } from '../fuse/join/fusion-input.ts';
import { type GraphSource, readGraph } from '../fuse/join/given-graph.ts';
import { CheckpointFolder, fingerprint } from '../fuse/training/checkpoint-folder.ts';
import type { EpochReport } from '../fuse/training/training-state.ts';
import { Model } from './model.ts';
import { addBundles, type ReadingProgress } from './read-bundles.ts';

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

/** What `fuse` reports on its way: bundles that were read, how they met, epochs. */
export type FuseProgress = ReadingProgress | JoinReport | EpochProgress;

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
  /** A preset and what differs from it. Default: what we advise. */
  config?: FusionChoice | undefined;
  /** A graph between owners, for `graph: 'given'`. */
  graph?: GraphSource | undefined;
  /** Each is tried, and the one with the lowest validation loss is kept. Default: the config's. */
  learningRates?: readonly number[] | undefined;
  /** Train several models and serve them as one; the answers then carry an uncertainty. Keeps no checkpoint. */
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

/** Learns how the owners' embeddings fit together. The model holds memory until it is disposed. */
export async function fuse(request: FuseRequest): Promise<Model> {
  const { checkpoint, learningRates, signal, onProgress } = request;
  const config = resolveUsefulConfig(request.config);
  const calibrate = request.ensemble?.calibrate ?? true;
  const members = request.ensemble && ensembleConfigs(config, request);
  const labels = await readLabels(request.labels, request.classes);
  const split = await readSplit(request.split, labels.samples);
  const graph = request.graph === undefined ? undefined : await readGraph(request.graph);
  const engine = new Engine({ threads: request.threads });
  try {
    const votes = isVoteMethod(config.method);
    const expected = countBundles(request.bundles);
    const assembly = new InputAssembly(engine, { labels, split, graph, votes, expected });
    await addBundles(request.bundles, assembly, request);
    const input = assembly.finish();
    const { owners, samples, isComplete } = input.joined;
    onProgress?.({ stage: 'joined', owners, samples: samples.length, isComplete, unused: assembly.unused });
    const checkpoints =
      checkpoint &&
      new CheckpointFolder(checkpoint.folder, {
        about: fingerprint(input, config),
        resume: checkpoint.resume ?? false,
        seconds: checkpoint.seconds,
      });
    const onEpoch = (report: Omit<EpochProgress, 'stage'>) => onProgress?.({ stage: 'training', ...report });
    const fused = members
      ? await fuseEnsemble(engine, input, members, { calibrate, learningRates, signal, onEpoch })
      : await fuseOwners(engine, input, config, { learningRates, checkpoints, signal, onEpoch });
    signal?.throwIfAborted();
    freeInput(engine, input);
    return new Model(engine, fused, { onSaved: () => checkpoints?.clear() });
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

function ensembleConfigs(config: FusionConfig, { ensemble, checkpoint }: FuseRequest): FusionConfig[] {
  const { fits = 1, others = [] } = ensemble ?? {};
  if (!Number.isInteger(fits) || fits < 1) {
    throw new F3Error('F3_ARGUMENT', `fits: must be a whole number of at least 1, got ${fits}`);
  }
  if (checkpoint) throw new F3Error('F3_ARGUMENT', 'checkpoint: is for one model, got an ensemble');
  const configs = [config, ...others.map((other) => resolveUsefulConfig(other))];
  return configs.flatMap((one) => Array.from({ length: fits }, (_, i) => ({ ...one, seed: one.seed + i })));
}
