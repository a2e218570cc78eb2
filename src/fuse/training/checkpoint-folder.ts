// [coordinator] Checkpoints on disk: one safetensors file per learning rate, each replaced whole, every few seconds.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLargeFile, writeLargeFile } from '../../base/large-file.ts';
import { unwritable } from '../../base/unwritable.ts';
import { F3Error } from '../../errors.ts';
import type { Checkpoints } from '../fuse-owners.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { decodeCheckpoint, encodeCheckpoint, type TrainingState } from './training-state.ts';

/** What a checkpoint is of, and how often it is taken. */
export interface CheckpointOptions {
  /** What is being trained, see `fingerprint`. */
  about: string;
  /** Go on from what is there; otherwise it is discarded. */
  resume: boolean;
  /** Between checkpoints. */
  seconds?: number | undefined;
}

/** Writing takes at most this share of the time. */
const WRITING_SHARE = 0.05;

/** What is ours in the folder, of a single model or of the members of an ensemble; anything else there is not touched. */
const OURS = /^(learning-rate-.+\.safetensors(\.tmp)?|\.?member-[0-9a-f]{24}(\.f3fit(\.\d+\.tmp)?|\.checkpoint))$/;

/** Checkpoints on disk: one file per learning rate, replaced whole every few seconds. */
export class CheckpointFolder implements Checkpoints {
  readonly #dir: string;
  readonly #about: string;
  readonly #seconds: number;
  #next: number;

  constructor(dir: string, { about, resume, seconds = 3 }: CheckpointOptions) {
    this.#dir = dir;
    this.#about = about;
    this.#seconds = seconds;
    this.#next = performance.now() + seconds * 1000;
    openCheckpoints(dir, resume);
  }

  load(learningRate: number): TrainingState | undefined {
    const file = this.#file(learningRate);
    if (!existsSync(file)) return undefined;
    if (statSync(file).isFile()) return decodeCheckpoint(readLargeFile(file), file, this.#about);
    throw new F3Error('F3_CHECKPOINT', `checkpoint ${file}: must be a file, got a folder`);
  }

  offer(learningRate: number, state: () => TrainingState): void {
    if (performance.now() >= this.#next) this.save(learningRate, state());
  }

  /** At once, e.g. when training ends early or one learning rate is done. */
  save(learningRate: number, state: TrainingState): void {
    const start = performance.now();
    const file = this.#file(learningRate);
    try {
      mkdirSync(this.#dir, { recursive: true });
      writeLargeFile(`${file}.tmp`, encodeCheckpoint(state, this.#about));
      renameSync(`${file}.tmp`, file);
    } catch (cause) {
      throw unwritable(`checkpoint ${file}`, cause, 'F3_MODEL_UNWRITABLE');
    }
    const now = performance.now();
    this.#next = now + Math.max(this.#seconds * 1000, (now - start) / WRITING_SHARE);
  }

  clear(): void {
    clearCheckpoints(this.#dir);
  }

  #file(learningRate: number): string {
    return join(this.#dir, `learning-rate-${learningRate}.safetensors`);
  }
}

/** Throws unless there can be checkpoints. What is there is discarded unless it is to be resumed from. */
export function openCheckpoints(dir: string, resume: boolean): void {
  if (existsSync(dir) && !statSync(dir).isDirectory()) {
    throw new F3Error('F3_CHECKPOINT', `checkpoint ${dir}: must be a folder or not exist, got a file`);
  }
  if (!resume) clearCheckpoints(dir);
}

/** Removes what is ours, and the folder where nothing else is in it. */
export function clearCheckpoints(dir: string): void {
  if (!existsSync(dir)) return;
  const names = readdirSync(dir);
  const ours = names.filter((name) => OURS.test(name));
  for (const name of ours) rmSync(join(dir, name), { recursive: true });
  if (ours.length === names.length) rmdirSync(dir);
}

/** The same for the same bundles, labels, split, graph and options, whatever learning rates are tried. */
export function fingerprint({ joined, labels, split, adjacency }: FusionInput, config: FusionConfig): string {
  const hash = createHash('sha256');
  const { learningRate: _, ...choices } = config;
  hash.update(JSON.stringify([choices, labels.classes, joined.owners.map(({ owner, bundle }) => [owner, bundle])]));
  hash.update(joined.samples.join('\n'));
  for (const numbers of [labels.labels, split.train, split.validation, split.test]) hash.update(numbers);
  if (adjacency) hash.update(Float64Array.from(adjacency));
  return hash.digest('hex');
}
