// [coordinator] Predictions of this process as they are made, for whoever watches: the last ones of each federation, and the
// embeddings of a few of them, so that they can be explained.
import { type LiveEvent, type LivePrediction, MOST_NAMED_ABSENT } from '../../exchange/messages/live-events.ts';
import type { Answer, SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';

export interface MadePrediction {
  sample: string;
  version: number;
  model: Pick<ServedModel, 'card'>;
  answer: Answer;
  /** None on shares, where nobody can say which way an owner pushed. */
  embeddings: SampleEmbeddings;
  source: LivePrediction['source'];
  latencyMs: number;
  isLate: boolean;
}

/** The samples of one request. */
export interface MadeBatch extends Pick<MadePrediction, 'version' | 'model' | 'latencyMs'> {
  predictions: readonly (Answer & { sample: string })[];
  /** The embeddings of a prediction, asked for if it is kept. */
  embeddingsOf(place: number): SampleEmbeddings;
}

/** The embeddings of a sample that was predicted lately. */
export interface KeptSample {
  version: number;
  embeddings: SampleEmbeddings;
}

/** What happened since a listener was last told. */
export type LiveNews = Omit<LiveEvent, 'classes'>;

/** So many samples of one request are shown. */
const MOST_OF_BATCH = 100;
/** So many predictions of a federation are remembered. */
const MOST_REMEMBERED = 500;
/** So many samples of a federation, and so many bytes of their embeddings, are kept. */
const MOST_KEPT = 200;
const MOST_KEPT_BYTES = 16 * 2 ** 20;
/** Those that nobody has used for the longest time are forgotten beyond so many. */
const MOST_FEDERATIONS = 100;

const shown = (value: number): number => Number(value.toPrecision(5));

export class LiveFeed {
  readonly #federations = new Map<string, FederationFeed>();

  of(federation: string): FederationFeed {
    const feed = this.#federations.get(federation) ?? new FederationFeed();
    this.#federations.delete(federation);
    this.#federations.set(federation, feed);
    if (this.#federations.size > MOST_FEDERATIONS) {
      const unwatched = [...this.#federations].find(([, { isWatched }]) => !isWatched);
      if (unwatched) this.#federations.delete(unwatched[0]);
    }
    return feed;
  }
}

export class FederationFeed {
  #classes: string[] = [];
  #number = 0;
  #remembered: LivePrediction[] = [];
  readonly #kept = new Map<string, KeptSample & { bytes: number }>();
  #bytes = 0;
  #watchers = 0;

  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  get watchers(): number {
    return this.#watchers;
  }

  get classes(): string[] {
    return this.#classes;
  }

  watch(): () => void {
    this.#watchers++;
    return () => {
      this.#watchers--;
    };
  }

  /** Several owners are told the same answer; it is one prediction. */
  publish({ sample, version, model, answer, embeddings, source, latencyMs, isLate }: MadePrediction): void {
    const { classes, owners } = model.card;
    const before = this.#remembered.findLast((one) => one.sample === sample);
    if (source === 'live' && before?.model === version && before.present === answer.owners.length) return;
    const present = new Set(answer.owners);
    const absent: string[] = [];
    for (const { owner } of owners) {
      if (absent.length < MOST_NAMED_ABSENT && !present.has(owner)) absent.push(owner);
    }
    this.#classes = classes;
    this.#keep(sample, version, embeddings);
    this.#remembered.push({
      number: ++this.#number,
      at: new Date().toISOString(),
      sample,
      model: version,
      source,
      class: answer.class,
      probabilities: answer.probabilities.map(shown),
      probability: shown(answer.probabilities[classes.indexOf(answer.class)]),
      ...(answer.uncertainty !== undefined && { uncertainty: shown(answer.uncertainty) }),
      present: answer.owners.length,
      owners: owners.length,
      absent,
      latencyMs: Math.round(latencyMs),
      isLate,
      canExplain: this.#kept.has(sample),
    });
    if (this.#remembered.length > 2 * MOST_REMEMBERED) this.#remembered = this.#remembered.slice(-MOST_REMEMBERED);
  }

  /** Of a request with thousands of samples the last ones are shown; the others are counted. */
  publishBatch({ version, model, predictions, embeddingsOf, latencyMs }: MadeBatch): void {
    const first = Math.max(0, predictions.length - MOST_OF_BATCH);
    this.#number += first;
    for (const [i, { sample, ...answer }] of predictions.slice(first).entries()) {
      const embeddings = embeddingsOf(first + i);
      this.publish({ sample, version, model, answer, embeddings, source: 'batch', latencyMs, isLate: false });
    }
  }

  /** The newest predictions after a number, `most` of them. A number from before a restart is taken for none. */
  since(number: number, most: number): LiveNews {
    const after = number > this.#number ? 0 : number;
    const news = this.#remembered.filter((one) => one.number > after).slice(-most);
    return { predictions: news, skipped: after === 0 ? 0 : this.#number - after - news.length };
  }

  get newest(): number {
    return this.#number;
  }

  find(sample: string): KeptSample | undefined {
    return this.#kept.get(sample);
  }

  #keep(sample: string, version: number, embeddings: SampleEmbeddings): void {
    this.#forget(sample);
    if (embeddings.size === 0) return;
    let bytes = 0;
    for (const embedding of embeddings.values()) bytes += embedding.byteLength;
    if (bytes > MOST_KEPT_BYTES) return;
    this.#kept.set(sample, { version, embeddings, bytes });
    this.#bytes += bytes;
    while (this.#kept.size > MOST_KEPT || this.#bytes > MOST_KEPT_BYTES) {
      this.#forget(this.#kept.keys().next().value as string);
    }
  }

  #forget(sample: string): void {
    const kept = this.#kept.get(sample);
    if (!kept) return;
    this.#bytes -= kept.bytes;
    this.#kept.delete(sample);
  }
}
