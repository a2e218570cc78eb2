// Counts what end-to-end training would send between owners and coordinator, and the one upload of F³ beside it.

/** What an owner has to send. */
export interface Sender {
  /** Width d of the owner's embeddings. */
  width: number;
  /** The number of each sample's window, −1 where the owner has none: [sample] */
  rows: Int32Array;
}

/** Messages and the bytes of their numbers as float32, without headers, labels and control messages. */
export interface Traffic {
  messages: number;
  bytes: number;
}

export class WireTraffic {
  /** Embeddings of every training batch, from owners to coordinator. */
  readonly embeddings: Traffic = { messages: 0, bytes: 0 };
  /** Gradients of these embeddings, from coordinator to owners. */
  readonly gradients: Traffic = { messages: 0, bytes: 0 };
  /** Embeddings to validate on after every epoch and to test on once, from owners to coordinator. */
  readonly evaluation: Traffic = { messages: 0, bytes: 0 };
  readonly #senders: readonly Sender[];

  constructor(senders: readonly Sender[]) {
    this.#senders = senders;
  }

  /** Counts a training step on these samples. */
  step(samples: Uint32Array): void {
    const sent = this.#upload(samples);
    add(this.embeddings, sent);
    add(this.gradients, sent);
  }

  /** Counts embeddings whose gradients nobody asks for. */
  evaluate(samples: Uint32Array): void {
    add(this.evaluation, this.#upload(samples));
  }

  get total(): Traffic {
    const sum = { messages: 0, bytes: 0 };
    for (const part of [this.embeddings, this.gradients, this.evaluation]) add(sum, part);
    return sum;
  }

  /** What F³ sends instead: the embeddings of all samples, once. */
  get oneUpload(): Traffic {
    const samples = this.#senders[0]?.rows.length ?? 0;
    return this.#upload(Uint32Array.from({ length: samples }, (_, sample) => sample));
  }

  /** One message from each owner that has a window of any of the samples. */
  #upload(samples: Uint32Array): Traffic {
    const sum = { messages: 0, bytes: 0 };
    for (const { rows, width } of this.#senders) {
      const seen = samples.reduce((count, sample) => count + (rows[sample] < 0 ? 0 : 1), 0);
      if (seen > 0) add(sum, { messages: 1, bytes: seen * width * Float32Array.BYTES_PER_ELEMENT });
    }
    return sum;
  }
}

function add(to: Traffic, { messages, bytes }: Traffic): void {
  to.messages += messages;
  to.bytes += bytes;
}
