// [coordinator] What a fusion learns from or is scored on: labels, split and bundles, joined by sample id. The one place that
// puts them together, for the library, the command line, the coordinator and the experiments alike.
import type { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { LabelSet } from '../../exchange/labels/labels.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import { type SplitChoice, splitIds } from '../../exchange/labels/split-sources.ts';
import { BundleJoin, type Joined, type JoinedOwner, type JoinOptions } from './bundle-join.ts';
import { type GivenGraph, graphWeights } from './given-graph.ts';
import { placeSplit, seenSamples } from './place-split.ts';
import { type SplitIdentity, splitIdentity } from './split-identity.ts';

/** What a fusion learns from or is scored on, joined by sample id. */
export interface FusionInput {
  joined: Joined;
  labels: LabelSet;
  /** Sample numbers of each part. */
  split: Record<Part, Uint32Array>;
  /** Which split that is, to be kept with the model. */
  splitIdentity?: SplitIdentity | undefined;
  /** [owner, owner] in the order of `joined.owners`, for `graph: 'given'` */
  adjacency?: ArrayLike<number> | undefined;
}

/** What bundles are put together with. */
export interface InputOptions extends Pick<JoinOptions, 'owners' | 'expected' | 'votes'> {
  labels: LabelSet;
  /** A seed or the ids of each part. Without a split, every labelled sample that an owner saw is in the test part. */
  split?: SplitChoice | undefined;
  graph?: GivenGraph | undefined;
}

/** Puts bundles, labels and a split together. */
export class InputAssembly {
  readonly #options: InputOptions;
  readonly #join: BundleJoin;
  /** Samples of the split without a label or without any owner; known when the input is finished. */
  unused = 0;

  constructor(engine: Engine, options: InputOptions) {
    const { labels, owners, expected, votes } = options;
    this.#options = options;
    const { samples, pseudonyms } = labels;
    this.#join = new BundleJoin(engine, { samples, pseudonyms, owners, expected, votes });
  }

  /** `hash` is the bundle's, for the record. A bundle without one labelled sample is refused. */
  add(bundle: Bundle, hash: string): JoinedOwner {
    const entry = this.#join.add(bundle, hash);
    if (entry.joined > 0) return entry;
    const [own, wanted] = [bundle.samples[0], this.#options.labels.samples[0]];
    const rule = 'must have samples in common with the labels';
    const found = `none: its first id is ${JSON.stringify(own)}, the labels' first is ${JSON.stringify(wanted)}`;
    throw new F3Error('F3_FUSE_OVERLAP', `bundle ${bundle.owner}: ${rule}, got ${found}`);
  }

  /** The tensors are the caller's from here: `freeInput` gives them back. */
  finish(): FusionInput {
    const { labels, split, graph } = this.#options;
    const joined = this.#join.finish();
    const owners = joined.owners.map(({ owner }) => owner);
    const adjacency = graph && graphWeights(graph, owners, 'graph');
    if (split === undefined) return { joined, labels, split: allInTest(joined), adjacency };
    const { rows, unused } = placeSplit(splitIds(split, labels.samples), joined, labels);
    this.unused = unused;
    return { joined, labels, split: rows, splitIdentity: splitIdentity(split, labels.samples), adjacency };
  }
}

/** Gives the joined embeddings back to the engine. */
export function freeInput(engine: Engine, { joined }: Pick<FusionInput, 'joined'>): void {
  engine.free(joined.embeddings);
  engine.free(joined.present);
}

function allInTest(joined: Joined): FusionInput['split'] {
  const seen = seenSamples(joined);
  const test = Uint32Array.from(joined.samples.keys()).filter((row) => seen[row] === 1);
  return { train: new Uint32Array(), validation: new Uint32Array(), test };
}
