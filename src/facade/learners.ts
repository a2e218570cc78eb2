// What `fuse` does once bundles, labels and split are joined: one config, several as one model, or a search.
import type { Engine } from '../core/engine/engine.ts';
import { F3Error } from '../errors.ts';
import { resolveUsefulConfig } from '../fuse/field-purposes.ts';
import { fuseEnsemble } from '../fuse/fuse-ensemble.ts';
import { fuseOwners } from '../fuse/fuse-owners.ts';
import { type FusionChoice, type FusionConfig, isVoteMethod } from '../fuse/fusion-config.ts';
import type { FusionInput } from '../fuse/join/fusion-input.ts';
import { memberConfigs } from '../fuse/member-configs.ts';
import type { FusedModel } from '../fuse/model/fused-model.ts';
import { checkBudget } from '../fuse/search/search-budget.ts';
import { SearchFolder } from '../fuse/search/search-folder.ts';
import { searchFusion } from '../fuse/search/search-fusion.ts';
import { inputIdentity } from '../fuse/search/search-input.ts';
import { type FixedFields, searchStarts } from '../fuse/search/search-space.ts';
import { CheckpointFolder, fingerprint } from '../fuse/training/checkpoint-folder.ts';
import { EnsembleFolder } from '../fuse/training/ensemble-folder.ts';
import type { EpochProgress, FuseRequest } from './fuse.ts';

/** How a request is carried out. Whatever is wrong with the request is thrown when it is made, before anything is read. */
export interface Learner {
  /** Whether it needs the owners' own class probabilities. */
  votes: boolean;
  learn(engine: Engine, input: FusionInput): Promise<LearnedResult>;
}

interface LearnedResult {
  fused: FusedModel;
  /** Called when the model has been written to disk. */
  onSaved?: (() => void) | undefined;
}

export function learnerOf(request: FuseRequest): Learner {
  const { config } = request;
  if (config?.preset === 'auto') return searchLearner(request, config);
  if (request.budget || request.search) {
    const given = request.budget ? 'budget' : 'search';
    throw new F3Error('F3_ARGUMENT', `${given}: is for preset auto only, got ${config?.preset ?? 'another preset'}`);
  }
  return configLearner(request, resolveUsefulConfig(config as FusionChoice));
}

function configLearner(request: FuseRequest, config: FusionConfig): Learner {
  const { ensemble, checkpoint, learningRates, signal, onProgress } = request;
  const members = ensemble && ensembleConfigs(config, request);
  const onEpoch = (report: Omit<EpochProgress, 'stage'>) => onProgress?.({ stage: 'training', ...report });
  return {
    votes: isVoteMethod(config.method),
    async learn(engine, input) {
      if (members) {
        const calibrate = ensemble.calibrate ?? true;
        const store =
          checkpoint &&
          new EnsembleFolder(checkpoint.folder, {
            members,
            learningRates,
            resume: checkpoint.resume ?? false,
            seconds: checkpoint.seconds,
          });
        const options = { calibrate, learningRates, store, signal, onEpoch };
        return { fused: await fuseEnsemble(engine, input, members, options), onSaved: () => store?.clear() };
      }
      const checkpoints =
        checkpoint &&
        new CheckpointFolder(checkpoint.folder, {
          about: fingerprint(input, config),
          resume: checkpoint.resume ?? false,
          seconds: checkpoint.seconds,
        });
      const fused = await fuseOwners(engine, input, config, { learningRates, checkpoints, signal, onEpoch });
      return { fused, onSaved: () => checkpoints?.clear() };
    },
  };
}

function ensembleConfigs(config: FusionConfig, { ensemble }: FuseRequest): FusionConfig[] {
  const { fits = 1, others = [] } = ensemble ?? {};
  if (!Number.isInteger(fits) || fits < 1) {
    throw new F3Error('F3_ARGUMENT', `fits: must be a whole number of at least 1, got ${fits}`);
  }
  const configs = [config, ...others.map((other) => resolveUsefulConfig(other))];
  return memberConfigs(configs, fits);
}

function searchLearner(request: FuseRequest, { preset: _, ...fixed }: FixedFields & { preset: 'auto' }): Learner {
  const { budget, search = {}, threads, signal, onProgress, onWarning } = request;
  const idle = (['ensemble', 'checkpoint', 'learningRates'] as const).find((name) => request[name] !== undefined);
  if (idle) throw new F3Error('F3_ARGUMENT', `${idle}: is not for preset auto, which sees to it by itself`);
  checkBudget(budget);
  searchStarts(fixed);
  return {
    votes: false,
    async learn(engine, input) {
      const { folder, keep = false, absenceWeight } = search;
      const store = folder === undefined ? undefined : await SearchFolder.open(folder, inputIdentity(input));
      try {
        const options = { budget, absenceWeight, fixed, store, threads, signal, onProgress, onWarning };
        const fused = await searchFusion(engine, input, options);
        return { fused, onSaved: () => (keep ? undefined : store?.remove()) };
      } finally {
        store?.close();
      }
    },
  };
}
