// [owner] Writes a data set: checks every piece; the data set is there whole or not at all.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encodeArrow, floatListColumn, integerColumn, textColumn } from '../../base/arrow-table.ts';
import { type DirectoryTarget, WholeDirectory } from '../../base/whole-directory.ts';
import { F3Error } from '../../errors.ts';
import { type Bundle, encodeBundle } from '../../exchange/bundle/bundle.ts';
import { checkGraph, formatGraph } from '../../exchange/labels/graph-csv.ts';
import { PARTS, type Part } from '../../exchange/labels/sample-parts.ts';
import { checkSplit, type Split } from '../../exchange/labels/split.ts';
import { DATASET_FORMAT, DATASET_VERSION, type DatasetCard, LABELS_FORMAT, WINDOWS_FORMAT } from './dataset-format.ts';
import { checkLabels, checkOwner, checkUnique, type NewOwner } from './owner-checks.ts';
import { formatPlace, PLACE_FILE } from './owner-place.ts';

/** What the card of a new data set says. */
export interface NewDataset {
  name: string;
  classes: readonly string[];
  simulated: boolean;
  source: Record<string, unknown>;
  /** Replaces a data set (or an empty directory) that is already there. */
  overwrite?: boolean;
}

/** Writes a data set piece by piece. It is there whole or not at all. */
export class DatasetWriter {
  readonly #directory: WholeDirectory;
  readonly #options: NewDataset;
  /** Owner id → the samples it saw. */
  readonly #owners = new Map<string, readonly string[]>();
  #samples: readonly string[] | undefined;
  #labels: Int32Array | undefined;
  #split: Split | undefined;
  #graph: ArrayLike<number> | undefined;

  private constructor(dir: string, options: NewDataset) {
    this.#options = options;
    this.#directory = new WholeDirectory(dir, datasetTarget(options.overwrite ?? false));
  }

  /** Throws `F3_DATA_EXISTS` when `dir` is already there and may not be replaced. */
  static create(dir: string, options: NewDataset): DatasetWriter {
    checkUnique('class', options.classes);
    return new DatasetWriter(dir, options);
  }

  /** The order of the calls is the order of owners in dataset.json and in the graph. */
  async addOwner(owner: NewOwner): Promise<void> {
    checkOwner(owner, [...this.#owners.keys()]);
    const { id, length, variates, rate, place, samples, windows } = owner;
    this.#owners.set(id, samples);
    await mkdir(this.#path('owners', id), { recursive: true });
    const columns = { sample: textColumn(samples), window: floatListColumn(windows, length * variates.length) };
    const metadata = {
      'f3.format': WINDOWS_FORMAT,
      'f3.version': String(DATASET_VERSION),
      'f3.owner': id,
      'f3.length': String(length),
      'f3.variates': JSON.stringify(variates),
      'f3.rate': rate,
    };
    await writeFile(this.#path('owners', id, 'windows.arrow'), encodeArrow(columns, metadata));
    if (place) await writeFile(this.#path('owners', id, PLACE_FILE), formatPlace(place));
  }

  /** Takes all samples in their order (of time, where there is one), and the class of each. */
  setLabels(samples: readonly string[], labels: Int32Array): void {
    checkUnique('labels: sample', samples);
    checkLabels(samples, labels, this.#options.classes);
    this.#samples = samples;
    this.#labels = labels;
  }

  /** Says which samples train, validate and test. */
  setSplit(split: Split): void {
    this.#split = split;
  }

  /** `matrix`: [owner, owner] */
  setGraph(matrix: ArrayLike<number>): void {
    this.#graph = matrix;
  }

  /** Writes a file under truth/, for evaluation only; `name` may contain folders. */
  writeTruth(name: string, content: string | Uint8Array): void {
    const path = this.#path('truth', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** Writes bundles/<owner>.arrow, where what an owner sends is known without training it. */
  writeBundle(bundle: Bundle): void {
    const path = this.#path('bundles', `${bundle.owner}.arrow`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, encodeBundle(bundle));
  }

  /** Checks what concerns several pieces, writes labels, split and graph, and puts the data set in its place. */
  async finish(): Promise<void> {
    const [samples, labels, split] = [this.#samples, this.#labels, this.#split];
    if (!samples || !labels || !split) throw new Error('DatasetWriter: setLabels and setSplit must precede finish');
    if (this.#owners.size === 0) throw new F3Error('F3_DATA_EMPTY', 'data set: must have at least one owner, got none');
    checkSplit(split, samples);
    if (this.#graph) checkGraph(this.#graph, this.#owners.size);
    await this.#writeLabels(samples, labels, split);
    const inOrder = Object.fromEntries(PARTS.map((part) => [part, split[part]]));
    await writeFile(this.#path('split.json'), `${JSON.stringify(inOrder)}\n`);
    if (this.#graph) await writeFile(this.#path('graph.csv'), formatGraph(this.#graph, this.#owners.size));
    const { name, classes, simulated, source } = this.#options;
    const card: DatasetCard = {
      format: DATASET_FORMAT,
      version: DATASET_VERSION,
      name,
      classes: [...classes],
      owners: [...this.#owners.keys()],
      samples: samples.length,
      simulated,
      source,
    };
    await writeFile(this.#path('dataset.json'), `${JSON.stringify(card, null, 2)}\n`);
    this.#directory.finish();
  }

  /** Removes everything written so far. */
  abort(): void {
    this.#directory.discard();
  }

  /** Writes the coordinator's labels, and for each owner those of the samples it saw, in the order of its windows. */
  async #writeLabels(samples: readonly string[], labels: Int32Array, split: Split): Promise<void> {
    const metadata = {
      'f3.format': LABELS_FORMAT,
      'f3.version': String(DATASET_VERSION),
      'f3.classes': JSON.stringify(this.#options.classes),
    };
    const columns = { sample: textColumn(samples), label: integerColumn(labels) };
    await writeFile(this.#path('labels.arrow'), encodeArrow(columns, metadata));
    const known = new Map(samples.map((sample, i) => [sample, i]));
    const partOf = new Map<string, Part>(PARTS.flatMap((part) => split[part].map((sample) => [sample, part] as const)));
    for (const [id, seen] of this.#owners) {
      const own = Int32Array.from(seen, (sample) => labels[known.get(sample) ?? failUnlabelled(id, sample)]);
      const parts = seen.map((sample) => partOf.get(sample) ?? failUnlabelled(id, sample));
      const given = { sample: textColumn(seen), label: integerColumn(own), part: textColumn(parts) };
      await writeFile(this.#path('owners', id, 'labels.arrow'), encodeArrow(given, metadata));
    }
  }

  #path(...parts: string[]): string {
    return this.#directory.path(...parts);
  }
}

/** Creates, fills and finishes a data set; whatever goes wrong on the way, nothing is left behind. */
export async function writeDataset(
  dir: string,
  options: NewDataset,
  fill: (writer: DatasetWriter) => Promise<void>,
): Promise<void> {
  const writer = DatasetWriter.create(dir, options);
  try {
    await fill(writer);
    await writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

function failUnlabelled(owner: string, sample: string): never {
  throw new F3Error('F3_DATA_LABEL', `owner ${owner}: every sample must have a label, got none for ${sample}`);
}

/** For `checkTarget` before the data are read or simulated, and for writing after it. */
export const datasetTarget = (overwrite: boolean): DirectoryTarget => ({
  content: 'a data set',
  mark: 'dataset.json',
  overwrite,
  exists: 'F3_DATA_EXISTS',
  unwritable: 'F3_OUTPUT',
});
