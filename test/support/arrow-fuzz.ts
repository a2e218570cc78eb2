// Fuzzes the readers of Arrow: a spoilt file is refused with a code of ours, or read as another reader reads it.
import { tableFromIPC } from 'apache-arrow';
import { encodeArrow, floatListColumn, textColumn } from '../../src/base/arrow-table.ts';
import { RandomStream } from '../../src/core/random.ts';
import { errorCode } from '../../src/errors.ts';
import { decodeBundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { decodePredictionTable } from '../../src/exchange/bundle/prediction-table.ts';
import { decodeLabels, encodeLabels, makeLabelSet } from '../../src/exchange/labels/labels.ts';
import { FuzzCorpus } from './fuzz-corpus.ts';
import { toyBundle } from './toy-bundles.ts';

export interface ArrowFuzzReport {
  runs: number;
  accepted: number;
  /** How often each code was the answer. */
  refused: Record<string, number>;
  corpus: number;
  /** A line for each input that was answered with no code of ours, or read as something that it does not say. */
  faults: string[];
}

interface Reader {
  sound: Uint8Array[];
  /** Reads the file, and gives what is wrong with what was read; undefined if nothing is. */
  read(bytes: Uint8Array): string | undefined;
}

const labels = makeLabelSet(['a', 'b', 'c'], ['calm', 'storm', 'calm'], 'labels');
const READERS: Record<string, Reader> = {
  bundle: {
    sound: [
      encodeBundle(toyBundle(0, { samples: 5 })),
      encodeBundle({ ...toyBundle(1, { samples: 3, width: () => 2 }), model: 'm', created: '2026-01-01T00:00:00Z' }),
      encodeBundle({ ...toyBundle(2, { samples: 3 }), samples: ['1', '2', '3'], sampleType: 'integer' }),
    ],
    read(bytes) {
      const bundle = decodeBundle(bytes, 'bundle');
      const { samples, embeddings, width } = bundle;
      if (embeddings.length !== samples.length * width) return 'rows and embeddings do not fit';
      const rows = otherReader(bytes);
      if (rows.length !== samples.length) return `${samples.length} samples, another reader finds ${rows.length}`;
      for (const [i, { sample, embedding }] of rows.entries()) {
        if (String(sample) !== samples[i]) return `sample ${i} is ${samples[i]}, another reader finds ${sample}`;
        const own = embeddings.subarray(i * width, (i + 1) * width);
        if (!sameNumbers(own, embedding)) return `embedding ${i} differs from another reader's`;
      }
      const again = decodeBundle(encodeBundle(bundle), 'bundle');
      if (!sameNumbers(again.embeddings, embeddings)) return 'written and read again it is another';
      return String(again.samples) === String(samples) ? undefined : 'written and read again it has other samples';
    },
  },
  labels: {
    sound: [encodeLabels(labels)],
    read(bytes) {
      const { samples, labels: numbers, classes } = decodeLabels(bytes, 'labels');
      const rows = otherReader(bytes);
      if (rows.length !== samples.length || numbers.length !== samples.length) return 'another reader finds other rows';
      // A label is the number of its class where the file names the classes, else its name.
      const at = rows.findIndex(({ label }, i) => label !== numbers[i] && String(label) !== classes[numbers[i]]);
      return at < 0 ? undefined : `label ${at} is ${classes[numbers[at]]}, another reader finds ${rows[at].label}`;
    },
  },
  prediction: {
    sound: [
      encodeArrow(
        {
          sample: textColumn(['a', 'a', 'b']),
          owner: textColumn(['owner-0', 'owner-1', 'owner-0']),
          embedding: floatListColumn(Float32Array.from([1, 2, 3, 4, 5, 6]), 2),
        },
        {},
      ),
    ],
    read(bytes) {
      const samples = decodePredictionTable(bytes);
      const rows = otherReader(bytes);
      const count = [...samples.values()].reduce((sum, owners) => sum + owners.size, 0);
      if (count !== rows.length) return `${count} rows, another reader finds ${rows.length}`;
      const wrong = rows.find(
        ({ sample, owner, embedding }) =>
          !sameNumbers(samples.get(String(sample))?.get(String(owner)) ?? new Float32Array(), embedding),
      );
      return wrong && `the row of ${wrong.owner} for ${wrong.sample} differs from another reader's`;
    },
  },
};

interface OtherRow {
  sample: unknown;
  owner?: unknown;
  label?: unknown;
  embedding?: Iterable<number>;
}

/** Apache's own way to rows. */
const otherReader = (bytes: Uint8Array): OtherRow[] =>
  tableFromIPC(bytes)
    .toArray()
    .map((row) => (row as { toJSON(): unknown }).toJSON() as OtherRow);

function sameNumbers(own: Float32Array, other: Iterable<number> | undefined): boolean {
  const values = Float32Array.from(other ?? []);
  return own.length === values.length && own.every((value, i) => Object.is(value, values[i]));
}

/** Lines of a stack that are told of a fault. */
const STACK_LINES = 3;

export interface ArrowFuzzOptions {
  runs: number;
  seed: number;
  /** Folder in which the corpus grows. */
  folder?: string | undefined;
}

export function fuzzArrow({ runs, seed, folder }: ArrowFuzzOptions): ArrowFuzzReport {
  const random = new RandomStream(seed, 11);
  // Nearly every file is refused, and a tenth of the time would go into writing down where.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_LINES;
  const names = Object.keys(READERS);
  const corpora = names.map((name) => new FuzzCorpus(name, READERS[name].sound, folder));
  const report: ArrowFuzzReport = { runs, accepted: 0, refused: {}, corpus: 0, faults: [] };
  const read = (which: number, input: Uint8Array) => {
    const answer = answerOf(READERS[names[which]], input, report);
    corpora[which].note(input, answer, undefined);
    if (answer.startsWith('fault')) report.faults.push(`${names[which]} ${textOf(input)}: ${answer}`);
  };
  for (const [which, { kept }] of corpora.entries()) for (const { bytes } of kept) read(which, bytes);
  for (let i = 0; i < runs; i++) {
    const which = random.integer(names.length);
    const { inputs } = corpora[which];
    // Every other file begins as a sound one, because few that come of spoilt ones get as far as to be read.
    const begun = random.integer(2) === 0 ? READERS[names[which]].sound : inputs;
    read(which, spoil(begun[random.integer(begun.length)], inputs[random.integer(inputs.length)], random));
  }
  Error.stackTraceLimit = stackTraceLimit;
  report.corpus = corpora.reduce((sum, { inputs }) => sum + inputs.length, 0);
  return report;
}

function answerOf({ read }: Reader, input: Uint8Array, report: ArrowFuzzReport): string {
  try {
    const wrong = read(input);
    report.accepted++;
    return wrong === undefined ? 'accepted' : `fault: ${wrong}`;
  } catch (error) {
    const code = errorCode(error);
    if (!code) return `fault: ${(error as Error).stack?.slice(0, 300)}`;
    report.refused[code] = (report.refused[code] ?? 0) + 1;
    return `${code} ${(error as Error).message}`;
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').slice(0, 4000);

/** Values at which readers of lengths and offsets stumble. */
const EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fffffff, -1, -0x80000000, 0x10000];

/** A few changes: bytes, whole numbers, cuts, repeated parts, and the end of another file. */
function spoil(input: Uint8Array, other: Uint8Array, random: RandomStream): Uint8Array {
  let bytes = Buffer.from(input);
  for (let changes = random.integer(3) === 0 ? 3 : 1; changes > 0 && bytes.length > 8; changes--) {
    const at = random.integer(bytes.length);
    const kind = random.integer(10);
    if (kind < 4) bytes[at] = random.integer(256);
    else if (kind < 5) bytes[at] ^= 1 << random.integer(8);
    else if (kind < 7) bytes.writeInt32LE(EDGES[random.integer(EDGES.length)] | 0, Math.min(at & ~3, bytes.length - 4));
    else if (kind < 8) bytes = Buffer.from(bytes.subarray(0, at));
    else if (kind < 9)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - random.integer(64)))]);
    else bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(Math.min(at, other.length))]);
  }
  return new Uint8Array(bytes);
}
