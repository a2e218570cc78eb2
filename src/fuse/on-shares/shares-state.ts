// [coordinator] Where a training on shares stands, for the coordinator: progress, θ and its optimiser. The entities keep their shares themselves.
import { F3Error } from '../../errors.ts';
import { decodeMessage, encodeMessage } from '../../shares/message.ts';
import type { EpochReport } from '../training/training-state.ts';
import type { EdgeState } from './edge-learner.ts';

/** All that it takes for the coordinator to go on to the same bits. */
export interface SharesTrainingState {
  /** Names the training among the entities, and its masks. */
  id: string;
  /** 32 bytes from which the coordinator's shares are made. */
  secret: Uint8Array;
  /** The epoch under way, from 1. */
  epoch: number;
  /** Batches of it that are done. */
  batch: number;
  /** Steps done since the beginning. */
  step: number;
  /** Under which of their two names entities keep the checkpoint. */
  slot: number;
  lossSum: number;
  best: { epoch: number; loss: number };
  history: EpochReport[];
  edges?: EdgeState | undefined;
}

const FORMAT = 'f3-shares-checkpoint';

/** `about` names what is being trained: a checkpoint continues nothing else. */
export function encodeSharesState(
  { secret, edges, best, ...rest }: SharesTrainingState,
  about: string,
): Uint8Array<ArrayBuffer> {
  // Before the first epoch's end the best loss is infinite, which JSON cannot say.
  const facts = {
    format: FORMAT,
    about,
    ...rest,
    best: { ...best, loss: String(best.loss) },
    edgeSteps: edges?.optimizer.steps,
  };
  const moments = Object.entries(edges?.optimizer.arrays ?? {}).map(([name, values]) => [`optimizer ${name}`, values]);
  const arrays = {
    secret,
    ...(edges && { theta: edges.theta, bestTheta: edges.best }),
    ...Object.fromEntries(moments),
  };
  return encodeMessage({ facts, arrays });
}

export function decodeSharesState(bytes: Uint8Array, about: string): SharesTrainingState {
  type Facts = Omit<SharesTrainingState, 'secret' | 'edges' | 'best'> & {
    format: string;
    about: string;
    best: { epoch: number; loss: string };
    edgeSteps?: number;
  };
  const { facts, arrays } = decodeMessage<Facts>(bytes, 'checkpoint of a training on shares');
  const { format, about: found, best, edgeSteps, ...rest } = facts;
  if (format !== FORMAT || found !== about) {
    const rule = 'must be of the same shares, labels, split and options';
    throw new F3Error('F3_SHARES_STATE', `checkpoint of a training on shares: ${rule}; remove it to start anew`);
  }
  const { secret, theta, bestTheta, ...others } = arrays;
  const moments = Object.entries(others).map(([name, values]) => [
    name.replace('optimizer ', ''),
    values as Float32Array,
  ]);
  const state: SharesTrainingState = {
    ...rest,
    secret: secret as Uint8Array,
    best: { epoch: best.epoch, loss: Number(best.loss) },
  };
  if (edgeSteps === undefined) return state;
  const optimizer = { steps: edgeSteps, arrays: Object.fromEntries(moments) };
  return { ...state, edges: { theta: theta as Float32Array, best: bestTheta as Float32Array, optimizer } };
}

/** The name among the entities of the training that a checkpoint is of, whatever it trains. */
export const trainingOfState = (bytes: Uint8Array): string =>
  decodeMessage<{ id: string }>(bytes, 'checkpoint of a training on shares').facts.id;
