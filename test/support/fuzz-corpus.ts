// Inputs that got an answer that no other had got before: starting points of the next run. It grows in an ignored folder.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/base/sha256.ts';

/** So many are kept of each kind, so that a run does not drown in them. */
const MOST = 2000;

export class FuzzCorpus {
  readonly inputs: Uint8Array[];
  readonly #folder: string | undefined;
  readonly #seen = new Set<string>();

  /** Without a folder it grows in memory only. */
  constructor(sound: readonly Uint8Array[], folder?: string) {
    this.#folder = folder;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    const kept = folder === undefined ? [] : readdirSync(folder).sort().slice(0, MOST);
    this.inputs = [...sound, ...kept.map((name) => readFileSync(join(folder as string, name)))];
  }

  /** `answer` is what the input got; digits and quoted words in it do not make it a new one. */
  note(input: Uint8Array, answer: string): void {
    const kind = answer.replaceAll(/"[^"]*"|\d+/g, '');
    if (this.#seen.has(kind) || this.inputs.length >= MOST) return;
    this.#seen.add(kind);
    this.inputs.push(input);
    if (this.#folder !== undefined) writeFileSync(join(this.#folder, sha256(input).slice(0, 32)), input);
  }
}
