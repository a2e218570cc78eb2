// [owner] A worker thread that trains one owner after another, each with an engine of one thread.
import { parentPort } from 'node:worker_threads';
import { Engine } from '../core/engine/engine.ts';
import { errorCode } from '../errors.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import { trainOwner } from './train-owner.ts';

export interface TrainRequest {
  folder: string;
  options: OwnerTrainingOptions;
  force: boolean;
}

export type TrainReply =
  | { kind: 'epoch'; epoch: number }
  | { kind: 'done'; card: ModelCard; trained: boolean }
  | { kind: 'failed'; message: string; code: string | undefined };

const engine = new Engine({ threads: 1 });
const reply = (message: TrainReply) => parentPort?.postMessage(message);

parentPort?.on('message', async ({ folder, options, force }: TrainRequest) => {
  try {
    const onEpoch = (epoch: number) => reply({ kind: 'epoch', epoch });
    reply({ kind: 'done', ...(await trainOwner(engine, folder, options, { force, onEpoch })) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply({ kind: 'failed', message, code: errorCode(error) });
  }
});
