// [entity] Rows of shares that predictions are about: taken from bundles and from live samples, one request after the other.
import { F3Error } from '../../errors.ts';
import type { EmbeddingShares, PlacedRows } from '../embedding-shares.ts';
import { NUMBER_BYTES } from '../field.ts';
import type { EntityFederation } from './entity-federation.ts';
import type { ExpectedShare } from './live-shares.ts';

/** Shares of the samples of one request. */
export class PlacedShares implements EmbeddingShares {
  readonly widths: readonly number[];
  readonly samples: number;
  readonly #owners: readonly ExpectedShare[];
  readonly #federation: EntityFederation;
  /** Per owner [sample, width] */
  readonly #numbers: Uint8Array[];
  /** Bundles that were read, each compared with its owner's commitment when it was. */
  readonly #bundles = new Map<string, Uint8Array>();

  constructor(federation: EntityFederation, owners: readonly ExpectedShare[], { samples }: { samples: number }) {
    this.#federation = federation;
    this.#owners = owners;
    this.samples = samples;
    this.widths = owners.map(({ width }) => width);
    this.#numbers = owners.map(({ width }) => new Uint8Array(samples * width * NUMBER_BYTES));
  }

  of(owner: number): Uint8Array {
    return this.#numbers[owner];
  }

  async place({ roots, rows, live }: PlacedRows): Promise<void> {
    const samples = rows.length / this.#owners.length;
    if (roots.length !== this.#owners.length || !(samples <= this.samples)) {
      const rule = `must be of ${this.#owners.length} owners and at most ${this.samples} samples`;
      throw new F3Error('F3_SHARES_MESSAGE', `rows: ${rule}, got ${roots.length} owners and ${samples} samples`);
    }
    for (const [owner, root] of roots.entries()) {
      const own = rows.subarray(owner * samples, (owner + 1) * samples);
      if (root !== null && own.some((row) => row >= 0)) await this.#placeHeld(owner, root, own);
    }
    for (const { owner, sample, ticket } of live) {
      const expected = this.#owners[owner] ?? { owner: '', width: 0 };
      const share = this.#federation.live.read(ticket, expected);
      this.#numbers[owner].set(share, sample * expected.width * NUMBER_BYTES);
    }
  }

  async #placeHeld(owner: number, root: string, rows: Int32Array): Promise<void> {
    const { owner: name, width, coding } = this.#owners[owner];
    const held = this.#federation.shares.held().find((one) => one.root === root)?.manifest;
    if (held && (held.owner !== name || held.width !== width)) {
      const found = `one of ${held.owner} of width ${held.width}`;
      throw new F3Error('F3_SHARES_BUNDLE', `share of ${name}: must have width ${width}, got ${found}`);
    }
    if (held && held.coding?.id !== coding) {
      const rule = 'must have the codes that the model has learned';
      throw new F3Error('F3_SHARES_CODES', `share of ${name}: ${rule}, got others in version ${held.version}`);
    }
    const share = this.#bundles.get(root) ?? (await this.#federation.shares.read(root));
    this.#bundles.set(root, share);
    const length = width * NUMBER_BYTES;
    for (const [sample, row] of rows.entries()) {
      if (row < 0) continue;
      if ((row + 1) * length > share.length) {
        throw new F3Error(
          'F3_SHARES_BUNDLE',
          `share of ${name}: has ${share.length / length} rows, row ${row} was asked for`,
        );
      }
      this.#numbers[owner].set(share.subarray(row * length, (row + 1) * length), sample * length);
    }
  }
}
