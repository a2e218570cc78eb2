// [coordinator] The losses of a training, epoch by epoch, thinned out as they grow, so that a page that is opened late sees them all.
import type { JsonObject } from '../../storage/schema.ts';

/** An epoch of a training, or of one learning rate or one member of an ensemble. */
export interface StoredPoint extends JsonObject {
  /** Rises by one with every epoch that was reported, over all learning rates and members. */
  number: number;
  epoch: number;
  trainLoss: number | null;
  validationLoss: number | null;
  learningRate?: number;
  member?: number;
}

/** When there are more points, every second of the older half is left out. */
const MOST_POINTS = 300;

export class TrainingCurve {
  #points: StoredPoint[];
  #count: number;

  /** `before`: those of an attempt that another worker began. */
  constructor(before: readonly StoredPoint[] = []) {
    this.#points = [...before];
    this.#count = before.at(-1)?.number ?? 0;
  }

  get points(): readonly StoredPoint[] {
    return this.#points;
  }

  /** Whatever is no epoch, such as where a search stands, is not drawn. */
  add({ epoch, trainLoss, validationLoss, learningRate, member }: JsonObject): void {
    if (typeof epoch !== 'number') return;
    const fit = {
      ...(typeof learningRate === 'number' && { learningRate }),
      ...(typeof member === 'number' && { member }),
    };
    // A training that goes on from its checkpoint repeats the epochs after it.
    const isRepeated = (point: StoredPoint) =>
      point.epoch >= epoch && point.learningRate === fit.learningRate && point.member === fit.member;
    this.#points = this.#points.filter((point) => !isRepeated(point));
    this.#points.push({
      number: ++this.#count,
      epoch,
      trainLoss: finite(trainLoss),
      validationLoss: finite(validationLoss),
      ...fit,
    });
    if (this.#points.length > MOST_POINTS) this.#thin();
  }

  /** The newer half stays whole, because those who watch are drawing it. */
  #thin(): void {
    const half = Math.floor(this.#points.length / 2);
    this.#points = this.#points.filter((_, i) => i >= half || i % 2 === 0);
  }
}

const finite = (loss: unknown): number | null => (typeof loss === 'number' && Number.isFinite(loss) ? loss : null);
