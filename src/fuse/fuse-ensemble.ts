// [coordinator] Several fits as one model: they differ by seed or by config, and the validation part says how they are mixed.
import type { Engine } from '../core/engine/engine.ts';
import { F3Error } from '../errors.ts';
import { type Checkpoints, type FuseOptions, fuseOwners, judgeModel } from './fuse-owners.ts';
import { type FusionConfig, isVoteMethod } from './fusion-config.ts';
import type { FusionInput } from './join/fusion-input.ts';
import { encodeFusedModel, plainFacts, restoreFusedModel } from './model/fused-card.ts';
import {
  type EnsembleModel,
  type FusedFacts,
  predictProbabilities,
  type SingleModel,
  type VotingModel,
} from './model/fused-model.ts';
import { fitMixture } from './model/mixture.ts';
import type { VoteRule } from './model/vote-rule.ts';
import { decodeFit, encodeFit, type FitRecord, type FitStore } from './search/fit-record.ts';
import { fingerprint } from './training/checkpoint-folder.ts';

/** Where an ensemble keeps what it has. */
export interface MemberStore extends FitStore {
  /** The name under which a finished member is kept; by default its position in the configs tells. */
  nameOf?(member: number): string;
  /** Where the member that trains keeps its state, see `fingerprint` for `about`. It is cleared when the member is kept. */
  checkpoints?(member: number, about: string): Checkpoints & { clear(): void };
}

export interface EnsembleOptions extends Pick<FuseOptions, 'learningRates' | 'signal'> {
  /** Fit a temperature on the validation part, so that confidence and accuracy agree. */
  calibrate: boolean;
  /** Where finished members are kept, so that a call that was interrupted repeats none of them. */
  store?: MemberStore | undefined;
  /** `member`: position in the configs */
  onEpoch?: ((report: Parameters<NonNullable<FuseOptions['onEpoch']>>[0] & { member: number }) => void) | undefined;
}

/** Most models of an ensemble. */
export const MOST_MEMBERS = 50;

export async function fuseEnsemble(
  engine: Engine,
  input: FusionInput,
  configs: readonly FusionConfig[],
  { calibrate, learningRates, store, signal, onEpoch }: EnsembleOptions,
): Promise<EnsembleModel> {
  checkMembers(configs);
  const start = performance.now();
  const members: SingleModel[] = [];
  for (const [member, given] of configs.entries()) {
    const config = { ...given, calibration: 'none' } as const; // the mixture has a temperature for all
    const name = store?.nameOf?.(member) ?? `member ${member}`;
    const about = fingerprint(input, config);
    const kept = store?.load(name);
    if (kept) {
      members.push(await restoreMember(engine, decodeFit(kept, name, about)));
      continue;
    }
    const checkpoints = store?.checkpoints?.(member, about);
    const model = await fuseOwners(engine, input, config, {
      learningRates,
      checkpoints,
      signal,
      onEpoch: onEpoch && ((epoch) => onEpoch({ ...epoch, member })),
    });
    signal?.throwIfAborted();
    if (store) {
      const { seconds } = model.facts;
      const encoded = encodeFusedModel(model);
      store.save(name, encodeFit({ kind: 'done', config, model: encoded, validation: [], seconds }, about));
      checkpoints?.clear();
    }
    members.push(model);
  }
  const seconds = (performance.now() - start) / 1000;
  return mixModels(engine, input, members, { calibrate, seconds });
}

/** Several models of the same owners as one, weighted by the validation part. `seconds`: what training them took. */
export function mixModels(
  engine: Engine,
  input: FusionInput,
  members: SingleModel[],
  { calibrate, seconds }: { calibrate: boolean; seconds: number },
): EnsembleModel {
  const { joined, labels, split } = input;
  const truth = Int32Array.from(split.validation, (row) => labels.labels[row]);
  const probabilities = members.map((member) => predictProbabilities(engine, member, joined, split.validation));
  const mixture = fitMixture(probabilities, truth, labels.classes.length, { calibrate });
  const kept = members.map(memberFacts);
  const facts: FusedFacts = { ...members[0].facts, seconds, ensemble: { mixture, members: kept } };
  const ensemble: EnsembleModel = { kind: 'ensemble', facts, members, mixture };
  judgeModel(engine, ensemble, input);
  return ensemble;
}

/** A rule of votes is kept with its member, where a card has it. */
function memberFacts(member: SingleModel): FusedFacts {
  return member.kind === 'voting' ? withRule(member) : member.facts;
}

function withRule({ facts, rule }: VotingModel): FusedFacts & { rule: VoteRule } {
  return { ...facts, rule };
}

async function restoreMember(engine: Engine, fit: FitRecord): Promise<SingleModel> {
  if (fit.kind === 'failed') throw new Error('a member of an ensemble must have come to something');
  const { card, weights } = fit.model;
  const model = (await restoreFusedModel(engine, card, async () => weights, 'member')) as SingleModel;
  const facts = plainFacts(card);
  return { ...model, facts };
}

function checkMembers(configs: readonly FusionConfig[]): void {
  if (configs.length < 1 || configs.length > MOST_MEMBERS) {
    throw new F3Error('F3_ARGUMENT', `ensemble: must have 1 to ${MOST_MEMBERS} members, got ${configs.length}`);
  }
  const votes = configs.filter(({ method }) => isVoteMethod(method)).length;
  if (votes === 0 || votes === configs.length) return;
  throw new F3Error('F3_ARGUMENT', 'ensemble: members must all learn from embeddings, or all count votes; got both');
}
