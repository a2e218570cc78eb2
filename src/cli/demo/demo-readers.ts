// Who of `f3 demo --on-shares` could have read embeddings, alone and two together: tried on what lies in the entities' folders.
import { join } from 'node:path';
import { Engine } from '../../core/engine/engine.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { readBundleFile } from '../../exchange/bundle/bundle-file.ts';
import { EntityFolder } from '../../shares/entity/entity-folder.ts';
import { ShareStore } from '../../shares/entity/share-store.ts';
import { Field } from '../../shares/field.ts';
import { FRACTION_BITS, fromFixedPoint } from '../../shares/fixed-point.ts';
import { Scheme } from '../../shares/scheme.ts';
import type { DemoEntity } from './demo-entities.ts';

export const OWNER = 'an owner';
const ANOTHER_OWNER = 'another owner';
export const COORDINATOR_NAME = 'the coordinator';

/** One or two parties that put together what they hold. */
export interface DemoReader {
  parties: string[];
  /** Shares that they hold of every number of every embedding. */
  shares: number;
  /** Embeddings that they know because they are their own: 0, 1 or 2 owners'. */
  own: number;
  /** Numbers of embeddings that came out right when their shares were put together, of all owners. */
  read: number;
}

export interface DemoReading {
  /** Numbers in all embeddings that were sent. */
  numbers: number;
  readers: DemoReader[];
}

interface ReadingScene {
  entities: readonly DemoEntity[];
  threshold: number;
  /** Fingerprint of the charter. */
  charter: string;
  owners: readonly string[];
  /** Folder of the owners' bundles, to compare with. Only the demo has it, because it plays every part. */
  bundles: string;
}

/** Whoever holds shares fits the polynomial of the lowest degree through them: nobody can do better, since the rest is random. */
export async function tryReading(scene: ReadingScene): Promise<DemoReading> {
  const attempts = new Attempts(scene);
  try {
    return await attempts.run();
  } finally {
    await attempts.dispose();
  }
}

class Attempts {
  readonly #scene: ReadingScene;
  readonly #engine = new Engine({ threads: 1 });
  readonly #field = new Field(this.#engine);
  readonly #scheme: Scheme;

  constructor(scene: ReadingScene) {
    this.#scene = scene;
    this.#scheme = new Scheme(scene.threshold, scene.entities.length);
  }

  async dispose(): Promise<void> {
    this.#field.dispose();
    await this.#engine.dispose();
  }

  async run(): Promise<DemoReading> {
    const entities = this.#scene.entities.map(({ entity }) => entity);
    const pairs = entities.flatMap((one, i) => entities.slice(i + 1).map((other) => [one, other]));
    const sets = [...entities.map((one) => [one]), ...pairs];
    const found = new Map(sets.map((set) => [set.join(' '), 0]));
    const stores = await this.#stores();
    let numbers = 0;
    for (const owner of this.#scene.owners) {
      const file = join(this.#scene.bundles, `${owner}.arrow`);
      const { embeddings } = decodeBundle(await readBundleFile(file), file);
      numbers += embeddings.length;
      const shares = await Promise.all(stores.map((store) => shareOf(store, owner)));
      for (const set of sets) {
        const key = set.join(' ');
        found.set(key, (found.get(key) as number) + this.#matches(set, shares, embeddings));
      }
    }
    const readBy = (set: readonly number[]) => found.get(set.join(' ')) as number;
    const named = (set: readonly number[]) => set.map((entity) => `entity ${entity}`);
    const readers: DemoReader[] = [
      { parties: [OWNER], shares: 0, own: 1, read: 0 },
      { parties: [COORDINATOR_NAME], shares: 0, own: 0, read: 0 },
      ...entities.map((one) => ({ parties: named([one]), shares: 1, own: 0, read: readBy([one]) })),
      { parties: [OWNER, ANOTHER_OWNER], shares: 0, own: 2, read: 0 },
      { parties: [OWNER, COORDINATOR_NAME], shares: 0, own: 1, read: 0 },
      ...entities.map((one) => ({ parties: [OWNER, ...named([one])], shares: 1, own: 1, read: readBy([one]) })),
      ...entities.map((one) => ({
        parties: [COORDINATOR_NAME, ...named([one])],
        shares: 1,
        own: 0,
        read: readBy([one]),
      })),
      ...pairs.map((pair) => ({ parties: named(pair), shares: 2, own: 0, read: readBy(pair) })),
    ];
    return { numbers, readers };
  }

  async #stores(): Promise<ShareStore[]> {
    const { entities, charter } = this.#scene;
    return Promise.all(
      entities.map(async ({ entity, folder }) => {
        const opened = await EntityFolder.open(folder);
        return new ShareStore(opened.federationFolder(charter), entity);
      }),
    );
  }

  /** How many numbers come out as they were. */
  #matches(set: readonly number[], shares: readonly Uint8Array[], embeddings: Float32Array): number {
    const weights = this.#scheme.weights(set);
    const value = this.#field.temporary(embeddings.length);
    for (const [i, entity] of set.entries()) {
      this.#field.scale(weights[i], this.#field.load(shares[entity - 1]), value, { accumulate: i > 0 });
    }
    const numbers = fromFixedPoint(this.#field.bytes(value), FRACTION_BITS);
    this.#field.reset();
    return embeddings.reduce(
      (count, truth, i) => count + (Math.abs(numbers[i] - truth) <= 2 ** -FRACTION_BITS ? 1 : 0),
      0,
    );
  }
}

/** An owner of the demo pushes once, so there is one share of each. */
async function shareOf(store: ShareStore, owner: string): Promise<Uint8Array> {
  const { root } = store.held().find(({ manifest }) => manifest.owner === owner) ?? { root: '' };
  return store.read(root);
}
