// [entity] Shares of weights as whole files: checkpoints of trainings and models that are in use.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WeightStore } from '../entity-program.ts';
import { removeSettled, writeSettled } from './settled-files.ts';

/** Names are the coordinator's, so files are named by their hash. */
export class WeightFiles implements WeightStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async save(name: string, bytes: Uint8Array): Promise<void> {
    writeSettled(this.#file(name), bytes);
  }

  async load(name: string): Promise<Uint8Array | undefined> {
    return readFile(this.#file(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  async forget(name: string): Promise<void> {
    removeSettled(this.#file(name));
  }

  #file(name: string): string {
    return join(this.#folder, createHash('sha256').update(name).digest('hex'));
  }
}
