// [coordinator] Joins bundles by sample id into one array: what each owner says about each sample, and who said nothing.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { firstTime, type TimeKind } from '../../exchange/bundle/canonical-time.ts';
import { requireSameKey } from '../../exchange/bundle/pseudonym-key.ts';
import type { SampleType } from '../../exchange/bundle/sample-ids.ts';
import type { FusionEmbeddings } from '../training/owner-batch.ts';

/** How one owner's bundle met the samples. */
export interface JoinedOwner {
  owner: string;
  /** Length of its embeddings. */
  width: number;
  /** SHA-256 of its bundle */
  bundle: string;
  /** Rows of its bundle. */
  rows: number;
  /** Rows whose sample is wanted. */
  joined: number;
}

/** The owners' own class probabilities. */
export interface Votes {
  classes: number;
  /** Per owner: [sample, class], zero where it said nothing */
  probabilities: Float32Array[];
}

/** Bundles that were joined: what each owner says about each sample. */
export interface Joined extends FusionEmbeddings {
  owners: JoinedOwner[];
  samples: string[];
  /** Embedding width of the widest owner. */
  width: number;
  embeddings: Tensor;
  present: Tensor;
  /** Whether every owner saw every sample. */
  isComplete: boolean;
  /** Only if all owners sent class probabilities and they were asked for. */
  votes?: Votes;
}

/** Which samples and owners are joined. */
export interface JoinOptions {
  /** The only samples of interest; without it all samples of all bundles. */
  samples?: readonly string[] | undefined;
  /** Owners in their order, widths where they are settled; bundles of others are refused. Default: all, as they come. */
  owners?: readonly { owner: string; width?: number | undefined }[] | undefined;
  /** How many owners will come at most: needed where `owners` is not given. */
  expected?: number | undefined;
  /** Key of the pseudonyms that `samples` are. */
  pseudonyms?: string | undefined;
  /** Keep class probabilities too. */
  votes?: boolean | undefined;
}

const FIRST_CAPACITY = 1024;

/** Joins bundles by sample id into one array [sample, owner, d]. */
export class BundleJoin {
  readonly #engine: Engine;
  readonly #options: JoinOptions;
  readonly #slots: number;
  readonly #positions = new Map<string, number>();
  readonly #samples: string[] = [];
  readonly #joined: (JoinedOwner | undefined)[] = [];
  readonly #votes: (Float32Array | undefined)[] = [];
  /** Bundles that list the same samples share their array. */
  #last: { samples: readonly string[]; rows: Int32Array } = { samples: [], rows: new Int32Array() };
  #classes: number | undefined;
  #sampleType: { type: SampleType; owner: string } | undefined;
  /** The first sample id that is a time, and whose it is. */
  #time: { id: string; kind: TimeKind; of: string } | undefined;
  /** Whether ids are pseudonyms, under which key, and who came first with them. */
  #pseudonyms: { key: string | undefined; of: string } | undefined;
  #capacity: number;
  #width: number;
  /** [capacity, slot, width] */
  #embeddings: Tensor;
  /** [capacity, slot] */
  #present: Tensor;

  constructor(engine: Engine, options: JoinOptions) {
    const { samples, owners, expected = 0 } = options;
    this.#engine = engine;
    this.#options = options;
    this.#slots = owners?.length ?? expected;
    this.#width = owners ? Math.max(...owners.map(({ width = 0 }) => width)) : 0;
    this.#capacity = samples?.length ?? FIRST_CAPACITY;
    for (const sample of samples ?? []) this.#position(sample);
    const time = firstTime(this.#samples);
    this.#time = time && { ...time, of: 'the samples asked for' };
    if (samples) this.#pseudonyms = { key: options.pseudonyms, of: 'the labels' };
    this.#embeddings = engine.buffer([this.#capacity, this.#slots, this.#width]);
    this.#present = engine.buffer([this.#capacity, this.#slots]);
  }

  /** `hash` is the bundle's, for the record. */
  add(bundle: Bundle, hash: string): JoinedOwner {
    const { owner, samples, width } = bundle;
    const slot = this.#slotOf(bundle);
    this.#checkType(bundle);
    this.#pseudonyms ??= { key: bundle.pseudonyms, of: `owner ${owner}` };
    requireSameKey(`bundle ${owner}`, bundle.pseudonyms, this.#pseudonyms);
    checkCounts(bundle);
    const rows = this.#rowsOf(samples, owner);
    this.#reserve(this.#samples.length, width);
    this.#copy(slot, rows, bundle);
    if (this.#options.votes) this.#copyVotes(slot, rows, bundle);
    const joined = rows.reduce((count, row) => count + (row >= 0 ? 1 : 0), 0);
    const entry = { owner, width, bundle: hash, rows: samples.length, joined };
    this.#joined[slot] = entry;
    return entry;
  }

  /** Frees nothing: the tensors are the caller's from here. */
  finish(): Joined {
    const count = this.#samples.length;
    const slots = this.#options.owners ? this.#slots : this.#joined.length; // fewer may have come than were expected
    const owners = Array.from({ length: slots }, (_, slot) => this.#joined[slot] ?? this.#nobody(slot));
    const votes = this.#finishVotes(count, slots);
    const embeddings = this.#trimmed(this.#embeddings, [count, slots, this.#width]);
    const present = this.#trimmed(this.#present, [count, slots]);
    return {
      owners,
      samples: this.#samples,
      width: this.#width,
      embeddings,
      present,
      isComplete: present.data.every((value) => value === 1),
      ...(votes && { votes }),
    };
  }

  #slotOf({ owner, width }: Bundle): number {
    const { owners } = this.#options;
    const slot = owners ? owners.findIndex((entry) => entry.owner === owner) : this.#joined.length;
    if (owners && slot < 0) {
      const known = owners.map((entry) => entry.owner);
      const list = `${known.slice(0, 5).join(', ')}${known.length > 5 ? `, … (${known.length})` : ''}`;
      const message = `bundle ${owner}: must be of an owner of the model (${list}), got ${owner}`;
      throw new F3Error('F3_FUSE_OWNER', message, { remedy: 'without' });
    }
    if (this.#joined.some((entry) => entry?.owner === owner)) {
      throw new F3Error('F3_FUSE_OWNER', `bundle ${owner}: an owner may send one bundle, got a second of ${owner}`);
    }
    if (slot >= this.#slots) {
      const rule = `must be among the ${this.#slots} that are expected`;
      throw new F3Error('F3_ARGUMENT', `bundle ${owner}: ${rule} (option expected), got number ${slot + 1}`);
    }
    const settled = owners?.[slot].width;
    if (settled !== undefined && settled !== width) {
      const rule = `embedding width must be ${settled} as in the model`;
      throw new F3Error('F3_FUSE_WIDTH', `bundle ${owner}: ${rule}, got ${width}`);
    }
    return slot;
  }

  /** Text "7" and the number 7 are different ids: they would join or not by accident. */
  #checkType({ owner, sampleType }: Bundle): void {
    this.#sampleType ??= { type: sampleType, owner };
    const first = this.#sampleType;
    if (first.type === sampleType) return;
    const found = `${first.type} from ${first.owner}, ${sampleType} from ${owner}`;
    const rule = 'sample ids must be of one type in all bundles';
    throw new F3Error('F3_BUNDLE_ID_TYPE', `bundle ${owner}: ${rule}, got ${found}`);
  }

  /** A time with a zone and one without never match: nobody knows which zone the latter means. */
  #checkTimes(samples: readonly string[], owner: string): void {
    const time = firstTime(samples);
    if (!time) return;
    this.#time ??= { ...time, of: owner };
    const { id, kind, of } = this.#time;
    if (kind === time.kind) return;
    const rule = 'sample ids that are times must have a zone everywhere or nowhere';
    const found = `${time.id} from ${owner}, ${id} from ${of}`;
    throw new F3Error('F3_BUNDLE_ID_TYPE', `bundle ${owner}: ${rule}, got ${found}`);
  }

  /** Per row of a bundle the sample's number, −1 when it is not wanted. */
  #rowsOf(samples: readonly string[], owner: string): Int32Array {
    if (samples === this.#last.samples) return this.#last.rows;
    const isOpen = this.#options.samples === undefined;
    checkTwice(samples, owner);
    this.#checkTimes(samples, owner);
    const rows = Int32Array.from(samples, (sample, row) => {
      if (this.#samples[row] === sample) return row; // owners mostly list the same samples in the same order
      return this.#positions.get(sample) ?? (isOpen ? this.#position(sample) : -1);
    });
    this.#last = { samples, rows };
    return rows;
  }

  #position(sample: string): number {
    this.#positions.set(sample, this.#samples.length);
    return this.#samples.push(sample) - 1;
  }

  #reserve(samples: number, width: number): void {
    if (samples <= this.#capacity && width <= this.#width) return;
    const capacity = samples <= this.#capacity ? this.#capacity : Math.max(samples, 2 * this.#capacity);
    const wider = Math.max(width, this.#width);
    const embeddings = this.#engine.buffer([capacity, this.#slots, wider]);
    const present = this.#engine.buffer([capacity, this.#slots]);
    present.data.set(this.#present.data);
    const [from, to] = [this.#embeddings.data, embeddings.data];
    if (wider === this.#width) to.set(from);
    else {
      for (let row = 0; row < this.#capacity * this.#slots; row++) {
        to.set(from.subarray(row * this.#width, (row + 1) * this.#width), row * wider);
      }
    }
    this.#engine.free(this.#embeddings);
    this.#engine.free(this.#present);
    this.#embeddings = embeddings;
    this.#present = present;
    this.#capacity = capacity;
    this.#width = wider;
  }

  #copy(slot: number, rows: Int32Array, { owner, samples, width, embeddings: values }: Bundle): void {
    const [to, present] = [this.#embeddings.data, this.#present.data];
    const [slots, widest] = [this.#slots, this.#width];
    for (let row = 0; row < rows.length; row++) {
      if (rows[row] < 0) continue;
      const at = rows[row] * slots + slot;
      present[at] = 1;
      for (let k = 0; k < width; k++) {
        const value = values[row * width + k];
        if (!Number.isFinite(value))
          throw notFinite(owner, value, `row ${row + 1}, sample ${samples[row]}, column ${k}`);
        to[at * widest + k] = value;
      }
    }
  }

  #copyVotes(slot: number, rows: Int32Array, { owner, classes, probabilities }: Bundle): void {
    if (!probabilities || !classes) return;
    this.#classes ??= classes;
    if (classes !== this.#classes) {
      const rule = `probabilities must be over ${this.#classes} classes as in the other bundles`;
      throw new F3Error('F3_BUNDLE_PROBABILITIES', `bundle ${owner}: ${rule}, got ${classes}`);
    }
    const kept = new Float32Array(this.#samples.length * classes);
    for (let row = 0; row < rows.length; row++) {
      if (rows[row] >= 0) kept.set(probabilities.subarray(row * classes, (row + 1) * classes), rows[row] * classes);
    }
    this.#votes[slot] = kept;
  }

  /** Owners that came early know fewer samples than came to be. */
  #finishVotes(count: number, slots: number): Votes | undefined {
    const classes = this.#classes;
    if (!classes || this.#joined.some((entry, slot) => entry && !this.#votes[slot])) return undefined;
    const probabilities = Array.from({ length: slots }, (_, slot) => {
      const whole = new Float32Array(count * classes);
      whole.set(this.#votes[slot] ?? []);
      return whole;
    });
    return { classes, probabilities };
  }

  /** Spare capacity goes back, in samples and in owners. */
  #trimmed(tensor: Tensor, shape: number[]): Tensor {
    const { data } = tensor;
    const size = shape.reduce((product, length) => product * length, 1);
    if (data.length === size) return tensor;
    const [rows] = shape;
    const [to, from] = [size / rows, data.length / this.#capacity];
    if (to < from) for (let row = 1; row < rows; row++) data.copyWithin(row * to, row * from, row * from + to);
    const exact = this.#engine.buffer(shape, data.subarray(0, size));
    this.#engine.free(tensor);
    return exact;
  }

  #nobody(slot: number): JoinedOwner {
    const { owner, width = 0 } = this.#options.owners?.[slot] ?? { owner: '' };
    return { owner, width, bundle: '', rows: 0, joined: 0 };
  }
}

function checkCounts({ owner, samples, width, embeddings, classes = 0, probabilities }: Bundle): void {
  const check = (thing: string, found: number, columns: number) => {
    if (found === samples.length * columns) return;
    const rule = `${thing} must be ${samples.length} × ${columns} numbers (samples)`;
    throw new F3Error('F3_BUNDLE_COUNT', `bundle ${owner}: ${rule}, got ${found}`);
  };
  check('embeddings', embeddings.length, width);
  if (probabilities) check('probabilities', probabilities.length, classes);
}

function checkTwice(samples: readonly string[], owner: string): void {
  if (new Set(samples).size === samples.length) return;
  const row = samples.findIndex((sample, i) => samples.indexOf(sample) !== i);
  const found = `${samples[row]} in rows ${samples.indexOf(samples[row]) + 1} and ${row + 1}`;
  throw new F3Error('F3_BUNDLE_DUPLICATE', `bundle ${owner}: every sample must occur once, got ${found}`);
}

const notFinite = (owner: string, value: number, where: string): F3Error =>
  new F3Error('F3_BUNDLE_NOT_FINITE', `bundle ${owner}: embedding must be finite, got ${value} (${where})`);
