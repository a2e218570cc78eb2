// [entity] Shares of weights in memory, for entities that live no longer than the process.
import type { WeightStore } from './entity-program.ts';

export class MemoryStore implements WeightStore {
  readonly #kept = new Map<string, Uint8Array>();

  async save(name: string, bytes: Uint8Array): Promise<void> {
    this.#kept.set(name, bytes);
  }

  async load(name: string): Promise<Uint8Array | undefined> {
    return this.#kept.get(name);
  }

  async forget(name: string): Promise<void> {
    this.#kept.delete(name);
  }
}
