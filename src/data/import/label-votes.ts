// [owner] A sample's label: the one that most rows of all owners carry in its window. A tie goes to the higher class.

export class LabelVotes {
  readonly #classes: number;
  readonly #votes = new Map<number, { sample: string; counts: Uint32Array }>();

  constructor(classes: number) {
    this.#classes = classes;
  }

  add(window: number, sample: string, labels: Int32Array): void {
    let entry = this.#votes.get(window);
    if (!entry) {
      entry = { sample, counts: new Uint32Array(this.#classes) };
      this.#votes.set(window, entry);
    }
    for (const label of labels) entry.counts[label]++;
  }

  /** The samples in time order, with their labels. */
  count(): { samples: string[]; labels: Int32Array } {
    const inTimeOrder = [...this.#votes].sort(([a], [b]) => a - b).map(([, entry]) => entry);
    const winner = (counts: Uint32Array) => counts.lastIndexOf(Math.max(...counts));
    return {
      samples: inTimeOrder.map(({ sample }) => sample),
      labels: Int32Array.from(inTimeOrder, ({ counts }) => winner(counts)),
    };
  }
}
