// Inputs that got an answer that no other had got before: every run sends them again first, and starts from them. Those in
// test/fuzz-corpus are part of the tests; what `npm run fuzz` finds beyond them grows in a folder that it is told.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMITTED = fileURLToPath(new URL('../fuzz-corpus/', import.meta.url));
/** So many are kept of each kind, and none that is longer, so that a run does not drown in them. */
const MOST = 2000;
const LONGEST_BYTES = 3000;

/** An input, and what else of the request it came with has to be the same. */
export interface KeptInput<About = unknown> {
  bytes: Uint8Array;
  about: About;
}

/** A line of a file of the corpus. */
interface Line<About> {
  text?: string;
  base64?: string;
  about?: About;
}

export class FuzzCorpus<About = undefined> {
  /** What was kept in earlier runs. */
  readonly kept: readonly KeptInput<About>[];
  /** Starting points: sound ones, kept ones, and what this run has found. */
  readonly inputs: Uint8Array[];
  readonly #file: string | undefined;
  readonly #seen = new Set<string>();

  /** `name` is that of the file. Without a folder it grows in memory only. */
  constructor(name: string, sound: readonly Uint8Array[], folder?: string) {
    const files = [COMMITTED, ...(folder === undefined ? [] : [folder])].map((each) => join(each, `${name}.jsonl`));
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    this.#file = folder === undefined ? undefined : files[1];
    this.kept = [...new Set(files)].flatMap((file) => linesOf<About>(file)).slice(0, MOST);
    this.inputs = [...sound, ...this.kept.map(({ bytes }) => bytes)];
  }

  /** `answer` is what the input got; digits and quoted words in it do not make it a new one. */
  note(bytes: Uint8Array, answer: string, about: About): void {
    const kind = answer.replaceAll(/"[^"]*"|\d+/g, '');
    if (this.#seen.has(kind)) return;
    this.#seen.add(kind);
    if (bytes.length > LONGEST_BYTES || this.inputs.length >= MOST || this.kept.some((each) => each.bytes === bytes))
      return;
    this.inputs.push(bytes);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(lineOf(bytes, about))}\n`);
  }
}

function linesOf<About>(file: string): KeptInput<About>[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { text, base64, about } = JSON.parse(line) as Line<About>;
    const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
    return { bytes: new Uint8Array(bytes), about: about as About };
  });
}

/** What is text stays legible. */
function lineOf<About>(bytes: Uint8Array, about: About): Line<About> {
  const text = Buffer.from(bytes).toString();
  const isText = Buffer.from(text).equals(bytes);
  return {
    ...(isText ? { text } : { base64: Buffer.from(bytes).toString('base64') }),
    ...(about !== undefined && { about }),
  };
}
