// [coordinator] An ensemble under way on disk: one file per finished member, written whole, and the checkpoint of the one that trains.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwritable } from '../../base/unwritable.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import type { MemberStore } from '../fuse-ensemble.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { CheckpointFolder, clearCheckpoints, openCheckpoints } from './checkpoint-folder.ts';

/** What the ensemble is made of, and whether to go on from what is there. */
export interface EnsembleFolderOptions {
  members: readonly FusionConfig[];
  /** The learning rates that each member tries, where they are not its config's own. */
  learningRates?: readonly number[] | undefined;
  /** Go on from what is there; otherwise it is discarded. */
  resume: boolean;
  /** Seconds between checkpoints of the member that trains. */
  seconds?: number | undefined;
}

/** Members are found by their config and learning rates, so that an ensemble of more fits takes those that it has over. */
export class EnsembleFolder implements MemberStore {
  readonly #dir: string;
  readonly #names: string[];
  readonly #seconds: number | undefined;

  constructor(dir: string, { members, learningRates, resume, seconds }: EnsembleFolderOptions) {
    this.#dir = dir;
    this.#seconds = seconds;
    this.#names = members.map((config) => {
      const text = JSON.stringify([Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)), learningRates ?? []]);
      return `member-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    });
    openCheckpoints(dir, resume);
  }

  nameOf(member: number): string {
    return join(this.#dir, `${this.#names[member]}.f3fit`);
  }

  load(file: string): Uint8Array | undefined {
    return existsSync(file) ? readFileSync(file) : undefined;
  }

  save(file: string, bytes: Uint8Array<ArrayBuffer>): void {
    try {
      mkdirSync(this.#dir, { recursive: true });
    } catch (cause) {
      throw unwritable(`checkpoint ${this.#dir}`, cause, 'F3_MODEL_UNWRITABLE');
    }
    writeWholeFile(file, bytes, `checkpoint ${this.#dir}`, 'F3_MODEL_UNWRITABLE');
  }

  checkpoints(member: number, about: string): CheckpointFolder {
    const dir = join(this.#dir, `${this.#names[member]}.checkpoint`);
    return new CheckpointFolder(dir, { about, resume: true, seconds: this.#seconds });
  }

  clear(): void {
    clearCheckpoints(this.#dir);
  }
}
