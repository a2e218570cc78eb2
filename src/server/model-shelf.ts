// [coordinator] Active models, loaded once and kept ready; a newer active version replaces the older.
import { F3Error } from '../errors.ts';
import { type FusedCard, parseFusedCard } from '../fuse/fused-card.ts';
import { ServedModel } from '../infer/served-model.ts';
import { readBlob } from '../storage/blobs.ts';
import { requireModel } from '../storage/models.ts';
import type { Store } from '../storage/open-database.ts';
import type { Directory } from './directory.ts';

interface Shelved {
  version: number;
  model: Promise<ServedModel>;
}

export class ModelShelf {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #shelf = new Map<string, Shelved>();

  constructor(store: Store, directory: Directory) {
    this.#store = store;
    this.#directory = directory;
  }

  /** The federation's active model, with the graphs its config says or the mean one: two at most are kept ready. */
  async active(federation: string, graphs?: 'mean'): Promise<{ version: number; model: ServedModel }> {
    const { activeModel: version } = await this.#directory.federation(federation);
    if (version === null) {
      throw new F3Error(
        'F3_MODEL_NONE',
        `federation ${federation}: must have an active model, got none; train one first`,
      );
    }
    const key = `${federation}/${graphs ?? 'default'}`;
    const found = this.#shelf.get(key);
    if (found?.version === version) return { version, model: await found.model };
    const model = this.#load(federation, version, graphs);
    this.#shelf.set(key, { version, model });
    model.catch(() => this.#shelf.delete(key));
    if (found) void found.model.then((old) => old.dispose());
    return { version, model: await model };
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#shelf.values()].map(async ({ model }) => (await model).dispose()));
  }

  async #load(federation: string, version: number, graphs: 'mean' | undefined): Promise<ServedModel> {
    const { card, blob } = await requireModel(this.#store.db, federation, version);
    const parsed: FusedCard = parseFusedCard(JSON.stringify(card), `model ${version} of ${federation}`);
    return ServedModel.load(parsed, await readBlob(this.#store.db, blob), graphs);
  }
}
