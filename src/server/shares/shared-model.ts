// [coordinator] A model on shares that answers: it names rows of bundles or live shares to the entities, who open logits to it and nothing else.
import { Engine } from '../../core/engine/engine.ts';
import { decodeSafetensors } from '../../core/safetensors.ts';
import { errorCode, F3Error } from '../../errors.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { SGD_MOMENTUM } from '../../fuse/fusion-config.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import type { OnShares } from '../../fuse/model/fused-model.ts';
import type { PredictionGraphs } from '../../fuse/model/predict-logits.ts';
import type { EntityLink } from '../../fuse/on-shares/entity-link.ts';
import { predictFromShares } from '../../fuse/on-shares/predict-on-shares.ts';
import { predictionGraphs } from '../../fuse/on-shares/prediction-graphs.ts';
import { modelName } from '../../fuse/on-shares/train-on-shares.ts';
import type { Charter } from '../../shares/charter.ts';
import { EntityLines } from '../../shares/desk/entity-lines.ts';
import { EntityCalls } from '../../shares/entity-calls.ts';
import { Field } from '../../shares/field.ts';
import { Ledger } from '../../shares/ledger.ts';
import { selfSignedCertificate } from '../../shares/link/self-signed-certificate.ts';
import { Scheme } from '../../shares/scheme.ts';
import { weightSizes } from '../../shares/shared-shape.ts';
import { RowIndex } from './row-index.ts';

/** What a model on shares is made from. */
export interface SharedModelStart {
  card: FusedCard;
  /** θ or the given graph, as safetensors. */
  weights: Uint8Array;
  graphs: PredictionGraphs | undefined;
  charter: Charter;
  keys: KeyPair;
}

/** A bundle in shares, as its owner announced it. */
export interface AnnouncedBundle {
  owner: string;
  bytes: Uint8Array;
}

/** A sample that is asked about: one that owners have pushed, or one that they have sent live. */
export type SharedSample =
  | { id: string; without?: readonly string[] | undefined }
  | { tickets: readonly { owner: string; ticket: string }[] };

/** Logits [class] with the owners that were present, or why there are none. */
export type SharedOutcome = { logits: number[]; owners: string[] } | { code: string; message: string };

/** Samples of one request to the entities. */
export const SAMPLES_AT_ONCE = 256;

interface Placed {
  /** [owner]: row in the owner's bundle, −1 where it comes from none */
  rows: Int32Array;
  live: { owner: number; ticket: string }[];
  present: Uint8Array;
}

export class SharedModel {
  readonly #start: SharedModelStart;
  readonly #onShares: OnShares;
  readonly #engine = new Engine({ threads: 1 });
  readonly #graphs: Float32Array[];
  readonly #slots: Map<string, number>;
  #index: RowIndex;
  /** Of bundles that do not count yet. */
  #next: RowIndex;
  #open: { link: EntityLink; lines: EntityLines } | undefined;

  constructor(start: SharedModelStart) {
    const { card, weights, graphs } = start;
    this.#start = start;
    this.#onShares = card.onShares as OnShares;
    this.#slots = new Map(card.owners.map(({ owner }, slot) => [owner, slot]));
    this.#index = new RowIndex(card.owners.length);
    this.#next = new RowIndex(card.owners.length);
    const { theta, adjacency } = decodeSafetensors(weights, 'model').tensors;
    const known = { owners: card.owners.length, theta: theta?.values, adjacency: adjacency?.values };
    this.#graphs = predictionGraphs(this.#engine, card.config, known, graphs);
  }

  /** Other bundles follow. Until they are used, the former ones count. */
  beginBundles(): void {
    this.#next = new RowIndex(this.#slots.size);
  }

  /** Takes one of the bundles that will count. Those of other owners are of no use to this model. */
  addBundle({ owner, bytes }: AnnouncedBundle): void {
    const slot = this.#slots.get(owner);
    if (slot !== undefined) this.#next.add(slot, bytes, `bundle ${owner}`);
  }

  /** From now on the bundles that were added count, and no others. */
  useBundles(): void {
    this.#index = this.#next;
  }

  /** At most `SAMPLES_AT_ONCE` samples. One that spoils the numbers of a request is asked about alone. */
  async predict(samples: readonly SharedSample[]): Promise<SharedOutcome[]> {
    const outcomes: SharedOutcome[] = [];
    const placed: { at: number; sample: Placed }[] = [];
    for (const [at, sample] of samples.entries()) {
      try {
        placed.push({ at, sample: this.#placed(sample) });
      } catch (error) {
        outcomes[at] = refusalOf(error);
      }
    }
    if (placed.length === 0) return outcomes;
    try {
      const logits = await this.#compute(placed.map(({ sample }) => sample));
      for (const [i, { at, sample }] of placed.entries()) outcomes[at] = this.#answer(logits[i], sample);
    } catch (error) {
      this.#close();
      if (!errorCode(error) || placed.length === 1 || errorCode(error) === 'F3_SHARES_AWAY') {
        for (const { at } of placed) outcomes[at] = refusalOf(error);
        return outcomes;
      }
      for (const { at } of placed) [outcomes[at]] = await this.predict([samples[at]]);
    }
    return outcomes;
  }

  async dispose(): Promise<void> {
    this.#close();
    await this.#engine.dispose();
  }

  #placed(sample: SharedSample): Placed {
    const n = this.#slots.size;
    if ('tickets' in sample) {
      const live = sample.tickets.flatMap(({ owner, ticket }) => {
        const slot = this.#slots.get(owner);
        return slot === undefined ? [] : [{ owner: slot, ticket }];
      });
      const present = new Uint8Array(n);
      for (const { owner } of live) present[owner] = 1;
      return { rows: new Int32Array(n).fill(-1), live, present };
    }
    const rows = this.#index.rowsOf(sample.id);
    for (const owner of sample.without ?? []) {
      const slot = this.#slots.get(owner);
      if (slot !== undefined) rows[slot] = -1;
    }
    if (rows.every((row) => row < 0)) {
      const rule = 'must be in a bundle of an owner of the model that is not left out';
      throw new F3Error('F3_FUSE_OWNER', `sample ${sample.id}: ${rule}, got none`);
    }
    return { rows, live: [], present: Uint8Array.from(rows, (row) => (row < 0 ? 0 : 1)) };
  }

  /** A line that broke while nobody asked is dialled anew, once. */
  async #compute(samples: readonly Placed[]): Promise<Float32Array[]> {
    const wasOpen = this.#open !== undefined;
    try {
      return await this.#ask(samples);
    } catch (error) {
      if (!wasOpen || errorCode(error) !== 'F3_SHARES_AWAY') throw error;
      this.#close();
      return this.#ask(samples);
    }
  }

  async #ask(samples: readonly Placed[]): Promise<Float32Array[]> {
    this.#open ??= await this.#connect();
    const { link } = this.#open;
    const [n, count] = [this.#slots.size, samples.length];
    const rows = Int32Array.from({ length: n * count }, (_, at) => samples[at % count].rows[Math.floor(at / count)]);
    const live = samples.flatMap((sample, at) => sample.live.map((one) => ({ ...one, sample: at })));
    await link.calls.callHolders({ kind: 'place', roots: this.#index.roots, live }, 2 * link.scheme.threshold + 1, {
      rows,
    });
    const { classes } = this.#onShares.shape;
    const logits = await predictFromShares(link, {
      shape: this.#onShares.shape,
      graphs: this.#graphs,
      rows: Uint32Array.from(samples.keys()),
      present: Uint8Array.from({ length: count * n }, (_, at) => samples[Math.floor(at / n)].present[at % n]),
    });
    return samples.map((_, s) => logits.subarray(s * classes, (s + 1) * classes));
  }

  async #connect(): Promise<{ link: EntityLink; lines: EntityLines }> {
    const { charter, keys, card } = this.#start;
    const { training, steps, shape } = this.#onShares;
    const lines = new EntityLines({ charter, certified: selfSignedCertificate(keys) });
    try {
      const codings = this.#onShares.codings ?? {};
      const owners = card.owners.map(({ owner, width }) => ({
        owner,
        width,
        ...(codings[owner] && { coding: codings[owner] }),
      }));
      const about = { samples: SAMPLES_AT_ONCE, owners };
      const { conversation: transport, active } = await lines.conversePresent(about);
      const calls = new EntityCalls(transport, active, transport.id);
      const scheme = new Scheme(charter.threshold, charter.entities.length);
      const link = { field: new Field(this.#engine), scheme, transport, ledger: new Ledger(), calls };
      const trained = `training ${training}`;
      const empty = Object.entries(weightSizes(shape)).map(([name, size]) => [name, new Float32Array(size)]);
      await calls.call({ kind: 'open', about: trained, shape, momentum: SGD_MOMENTUM }, Object.fromEntries(empty));
      // An entity that was away at the end of the training has no share of the model.
      const load = { kind: 'load' as const, name: modelName(training), about: trained, steps };
      await calls.callHolders(load, 2 * charter.threshold + 1);
      return { link, lines };
    } catch (error) {
      lines.close();
      throw error;
    }
  }

  #close(): void {
    this.#open?.lines.close();
    this.#open?.link.field.dispose();
    this.#open = undefined;
  }

  #answer(logits: Float32Array, { present }: Placed): SharedOutcome {
    const owners = this.#start.card.owners.filter((_, slot) => present[slot] === 1).map(({ owner }) => owner);
    return { logits: Array.from(logits), owners };
  }
}

function refusalOf(error: unknown): SharedOutcome {
  return { code: errorCode(error) ?? 'F3_INTERNAL', message: (error as Error).message };
}
