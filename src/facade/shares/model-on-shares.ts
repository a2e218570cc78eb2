// A model whose weights lie in shares with entities of this process: it predicts the samples that were split, and shows the ledger.
import type { Engine } from '../../core/engine/engine.ts';
import { decodeSafetensors } from '../../core/safetensors.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { F3Error } from '../../errors.ts';
import type { EncodedModel, FusedCard } from '../../fuse/model/fused-card.ts';
import type { OnShares } from '../../fuse/model/fused-model.ts';
import type { EntityLink } from '../../fuse/on-shares/entity-link.ts';
import { predictFromShares } from '../../fuse/on-shares/predict-on-shares.ts';
import { predictionGraphs } from '../../fuse/on-shares/prediction-graphs.ts';
import { predictedClasses } from '../../fuse/scores/confusion.ts';
import { type LedgerLine, type MergedOpening, mergedLedger } from '../../shares/ledger.ts';

/** What is said of a sample. */
export interface SharedPrediction {
  sample: string;
  /** The class that the model names, see `Prediction`. */
  class: string;
  /** By the name of the class. */
  probabilities: Record<string, number>;
  /** Who was present. */
  owners: string[];
}

interface ModelParts {
  engine: Engine;
  link: EntityLink;
  encoded: EncodedModel;
  samples: readonly string[];
  /** [sample, owner], 1 where the owner saw it */
  present: Uint8Array;
  dispose(): Promise<void>;
}

/** A model whose weights nobody holds: entities have them in shares. `fuseWithEntities` makes it. */
export interface ModelOnShares {
  /** Config, classes, owners, history and scores. */
  readonly card: FusedCard;
  /** Predicts samples of the bundles by their ids. `without` leaves owners out, as if they had sent nothing. */
  predict(
    samples: readonly string[],
    options?: { without?: readonly string[] | undefined },
  ): Promise<SharedPrediction[]>;
  /** Everything that was opened so far: what, to whom, how many numbers, behind how many bits of mask. */
  ledger(): Promise<MergedOpening[]>;
  /** Ends the entities. */
  dispose(): Promise<void>;
}

/** With entities that run as threads of this process. */
export class ModelInThreads implements ModelOnShares {
  readonly card: FusedCard;
  readonly #parts: ModelParts;
  readonly #rows: ReadonlyMap<string, number>;
  readonly #graphs: Float32Array[];
  /** What the entities are asked now: they answer one question at a time. */
  #asked: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(parts: ModelParts) {
    const { engine, encoded, samples } = parts;
    this.#parts = parts;
    this.card = encoded.card;
    this.#rows = new Map(samples.map((sample, row) => [sample, row]));
    const { theta, adjacency } = decodeSafetensors(encoded.weights, 'model').tensors;
    const { config, owners } = this.card;
    const known = { owners: owners.length, theta: theta?.values, adjacency: adjacency?.values };
    this.#graphs = predictionGraphs(engine, config, known);
  }

  async predict(
    samples: readonly string[],
    { without = [] }: { without?: readonly string[] | undefined } = {},
  ): Promise<SharedPrediction[]> {
    const { link, present } = this.#use();
    const { classes, owners, onShares } = this.card;
    const names = owners.map(({ owner }) => owner);
    const stranger = without.find((owner) => !names.includes(owner));
    if (stranger !== undefined) {
      const found = stranger || 'an empty name';
      throw new F3Error('F3_FUSE_OWNER', `without: must be owners of the model, got ${found}`, { remedy: 'without' });
    }
    const rows = Uint32Array.from(samples, (sample) => this.#rowOf(sample));
    const seen = present.map((value, at) => (without.includes(names[at % names.length]) ? 0 : value));
    const { shape } = onShares as OnShares;
    const prediction = { shape, graphs: this.#graphs, rows, present: seen };
    const logits = await this.#inTurn(() => predictFromShares(link, prediction));
    return samples.map((sample, s) => {
      const own = logits.subarray(s * classes.length, (s + 1) * classes.length);
      const values = softmaxRows(own, classes.length);
      const [named] = predictedClasses(values, classes.length, this.card.decision);
      const probabilities = Object.fromEntries(classes.map((name, c) => [name, values[c]]));
      const there = names.filter((_, owner) => seen[rows[s] * names.length + owner] === 1);
      return { sample, class: classes[named], probabilities, owners: there };
    });
  }

  async ledger(): Promise<MergedOpening[]> {
    const { link } = this.#use();
    const answers = await this.#inTurn(() => link.calls.call({ kind: 'ledger' }));
    return mergedLedger(answers.map(({ facts }) => facts.lines as LedgerLine[]));
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.#inTurn(() => this.#parts.dispose());
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#asked.then(ask);
    this.#asked = answer.catch(() => undefined);
    return answer;
  }

  #use(): ModelParts {
    if (!this.#isDisposed) return this.#parts;
    throw new F3Error('F3_DISPOSED', 'model: must not be used after it was disposed');
  }

  #rowOf(sample: string): number {
    const row = this.#rows.get(sample);
    if (row !== undefined) return row;
    throw new F3Error('F3_FUSE_OWNER', `sample ${sample}: must be a labelled sample of the bundles, got another`);
  }
}
