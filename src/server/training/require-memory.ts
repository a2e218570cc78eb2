// [coordinator] Refuses a training that would take more memory than trainings may: when it is asked for, and when it starts.
import { totalmem } from 'node:os';
import { F3Error } from '../../errors.ts';
import { type TrainingSizes, trainingMemory } from '../../fuse/training/training-memory.ts';
import { largestConfig, type TrainingPlan } from './training-plan.ts';

/** All tensors of a training lie in one memory of at most 4 GiB, so that more is of little use. */
const MOST_USEFUL = 4 * 2 ** 30;

/** Half of what the machine or the container has, and 4 GiB at most. */
export function defaultTrainingMemory(): number {
  const allowed = process.constrainedMemory();
  const machine = allowed > 0 && allowed < totalmem() ? allowed : totalmem();
  return Math.min(MOST_USEFUL, Math.floor(machine / 2));
}

/** Plans of an older f3 state no sizes, and pass. */
export function requireMemory(plan: TrainingPlan, most: number | undefined): void {
  if (!plan.sizes || most === undefined) return;
  const config = largestConfig(plan);
  // A search keeps its input and makes fits beside it, one at least.
  const bytes = (plan.search ? 2 : 1) * trainingMemory(plan.sizes, config);
  if (bytes <= most) return;
  const rule = `must fit into the ${shown(most)} of memory that a training may take`;
  throw new F3Error(
    'F3_TRAINING_MEMORY',
    `training: ${rule}, got an estimate of ${shown(bytes)} (${text(plan.sizes)}, ${config.method})`,
  );
}

/** How many fits of a search go on side by side: as many as fit into the memory beside what all of them read. */
export function fitsAtOnce(plan: TrainingPlan, most: number | undefined, threads: number): number {
  if (!plan.sizes || most === undefined) return threads;
  return Math.max(1, Math.min(threads, Math.floor(most / trainingMemory(plan.sizes, largestConfig(plan))) - 1));
}

const text = ({ owners, samples, width, classes }: TrainingSizes): string =>
  `${owners} owners × ${samples} samples × width ${width}, ${classes} classes`;

const shown = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
