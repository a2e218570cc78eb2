// [coordinator] Which sample is in which row of which owner's shares, from what owners announced. It takes as much memory as there are
// rows in all: an owner that sends millions of ids nobody else has costs those ids, and not a place per id for every other owner.
import { decodeAnnouncement } from '../../shares/announcement.ts';
import { manifestRoot } from '../../shares/share-manifest.ts';

export class RowIndex {
  /** [owner] root of the bundle that counts. */
  readonly roots: (string | null)[];
  /** [owner] sample → row */
  readonly #rows: (ReadonlyMap<string, number> | undefined)[];

  constructor(owners: number) {
    this.roots = new Array<string | null>(owners).fill(null);
    this.#rows = new Array<undefined>(owners).fill(undefined);
  }

  /** `bytes`: what the owner with this place announced of its bundle. */
  add(place: number, bytes: Uint8Array, name: string): void {
    const { bundle, statement } = decodeAnnouncement(bytes, name);
    this.roots[place] = manifestRoot(statement);
    this.#rows[place] = new Map(bundle.samples.map((id, row) => [id, row]));
  }

  /** [owner] the row of a sample; −1 where it is not. */
  rowsOf(id: string): Int32Array<ArrayBuffer> {
    return Int32Array.from(this.#rows, (rows) => rows?.get(id) ?? -1);
  }
}
