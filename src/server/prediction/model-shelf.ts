// [coordinator] Active models, loaded once and kept ready; a newer active version replaces the older.
import { F3Error } from '../../errors.ts';
import { type FusedCard, parseFusedCard } from '../../fuse/model/fused-card.ts';
import { ModelThread } from '../../infer/model-thread.ts';
import { ServedModel } from '../../infer/served-model.ts';
import { readBlob } from '../../storage/blobs.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { requireModel } from '../../storage/models.ts';
import { ServedSharedModel } from '../shares/served-shared-model.ts';
import { requireCharter } from '../shares/share-desk.ts';
import type { Directory } from '../tokens/directory.ts';

interface Shelved {
  version: number;
  model: Promise<ServedModel | ServedSharedModel>;
  /** Number of requests that use the model now. */
  users: number;
  isReplaced: boolean;
}

interface Active<Model> {
  version: number;
  model: Model;
}

export class ModelShelf {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #shelf = new Map<string, Shelved>();
  #thread: ModelThread | undefined;

  constructor(store: Store, directory: Directory) {
    this.#store = store;
    this.#directory = directory;
  }

  /**
   * Asks the federation's active model, with sampled graphs as its config says or with the mean graph. A request is answered
   * by the model that it began with, even if another becomes active meanwhile: a replaced model is disposed of after its
   * last request.
   */
  ask<T>(
    federation: string,
    graphs: 'mean' | undefined,
    question: (active: Active<ServedModel>) => T | Promise<T>,
  ): Promise<T> {
    return this.#ask(federation, graphs, ({ version, model }) => {
      if (model instanceof ServedModel) return question({ version, model });
      const rule = 'is asked about samples that owners have sent in shares, and takes no embeddings';
      throw new F3Error('F3_SHARES_ONLY', `model ${version} of ${federation}: ${rule}`);
    });
  }

  /** The same of a federation on shares. */
  askShared<T>(
    federation: string,
    graphs: 'mean' | undefined,
    question: (active: Active<ServedSharedModel>) => T | Promise<T>,
  ): Promise<T> {
    return this.#ask(federation, graphs, ({ version, model }) => {
      if (model instanceof ServedSharedModel) return question({ version, model });
      throw new Error(`model ${version} of ${federation}: must be on shares`);
    });
  }

  async #ask<T>(
    federation: string,
    graphs: 'mean' | undefined,
    question: (active: Active<ServedModel | ServedSharedModel>) => T | Promise<T>,
  ): Promise<T> {
    const { activeModel: version } = await this.#directory.federation(federation);
    if (version === null) {
      throw new F3Error(
        'F3_MODEL_NONE',
        `federation ${federation}: must have an active model, got none; train one first`,
      );
    }
    const shelved = this.#take(federation, version, graphs);
    shelved.users++;
    try {
      return await question({ version, model: await shelved.model });
    } finally {
      shelved.users--;
      disposeUnused(shelved);
    }
  }

  async close(): Promise<void> {
    const models = await Promise.allSettled([...this.#shelf.values()].map(({ model }) => model));
    for (const found of models) {
      if (found.status === 'fulfilled' && found.value instanceof ServedSharedModel) await found.value.dispose();
    }
    await this.#thread?.dispose();
  }

  /** At most two models per federation are kept ready: with sampled graphs, and with the mean graph. */
  #take(federation: string, version: number, graphs: 'mean' | undefined): Shelved {
    const key = keyOf(federation, graphs);
    const found = this.#shelf.get(key);
    if (found?.version === version) return found;
    const fresh = { version, model: this.#load(federation, version, graphs), users: 0, isReplaced: false };
    this.#shelf.set(key, fresh);
    fresh.model.catch(() => this.#shelf.get(key) === fresh && this.#shelf.delete(key));
    if (found) {
      found.isReplaced = true;
      disposeUnused(found);
    }
    return fresh;
  }

  async #load(
    federation: string,
    version: number,
    graphs: 'mean' | undefined,
  ): Promise<ServedModel | ServedSharedModel> {
    const { card, blob } = await requireModel(this.#store.db, federation, version);
    const parsed: FusedCard = parseFusedCard(JSON.stringify(card), `model ${version} of ${federation}`);
    const weights = await readBlob(this.#store.db, blob);
    if (parsed.onShares) {
      const { charter, keys } = await requireCharter(this.#store.db, federation);
      const forget = () => void this.#shelf.delete(keyOf(federation, graphs));
      return ServedSharedModel.load({ card: parsed, weights, graphs, charter, keys }, forget);
    }
    this.#thread ??= new ModelThread(() => this.#startAnew());
    return ServedModel.load(parsed, weights, graphs, this.#thread);
  }

  /** The thread has ended and its models with it, so the next requests load them again. */
  #startAnew(): void {
    this.#thread = undefined;
    // Models on shares have threads of their own; they are loaded again, too, which costs a moment.
    for (const { model } of this.#shelf.values()) {
      model.then((one) => (one instanceof ServedSharedModel ? one.dispose() : undefined)).catch(() => undefined);
    }
    this.#shelf.clear();
  }
}

const keyOf = (federation: string, graphs: 'mean' | undefined): string => `${federation}/${graphs ?? 'default'}`;

/** A model that could not be loaded holds no memory, so its failure is ignored here. */
function disposeUnused({ model, users, isReplaced }: Shelved): void {
  if (isReplaced && users === 0) model.then((unused) => unused.dispose()).catch(() => undefined);
}
