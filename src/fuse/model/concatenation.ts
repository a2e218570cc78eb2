// [coordinator] Baseline G: a two-layer perceptron on the concatenated embeddings of all owners.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { affine } from '../../core/ops/affine.ts';
import { relu } from '../../core/ops/relu.ts';
import { fanInUniform } from '../../core/optimizer/initialise.ts';
import { RandomStream } from '../../core/random.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { undoDropout } from '../training/drop-owners.ts';
import type { FusionModel, FusionShape, OwnerBatch } from './fusion-model.ts';

const STREAM = 5;

/** Baseline G: a two-layer perceptron on all embeddings side by side. */
export class Concatenation implements FusionModel {
  readonly kind = 'concatenation';
  readonly config: FusionConfig;
  readonly shape: FusionShape;
  /** W0 [n·d, h], b0, W1 [h, classes], b1 */
  readonly parameters: Record<string, Tensor>;
  readonly lastLayer = ['W1', 'b1'];
  readonly #engine: Engine;

  constructor(engine: Engine, config: FusionConfig, shape: FusionShape) {
    this.config = config;
    this.shape = shape;
    this.#engine = engine;
    const { hidden, seed } = config;
    const random = new RandomStream(seed, STREAM);
    const input = shape.owners * shape.width;
    const learn = (dims: number[], fanIn: number) => engine.parameter(dims, fanInUniform(random, dims, fanIn));
    this.parameters = {
      W0: learn([input, hidden], input),
      b0: learn([hidden], input),
      W1: learn([hidden, shape.classes], hidden),
      b1: learn([shape.classes], hidden),
    };
  }

  /** An absent owner's zeros say nothing by themselves: there is no mask in this baseline. */
  forward(tape: Tape, batch: OwnerBatch): { logits: Tensor } {
    const { W0, b0, W1, b1 } = this.parameters;
    const [samples, owners, width] = batch.embeddings.shape;
    const joined = affine(tape, batch.embeddings.view(samples, owners * width), W0);
    return { logits: affine(tape, relu(tape, undoDropout(tape, joined, batch), b0), W1, b1) };
  }

  dispose(): void {
    for (const tensor of Object.values(this.parameters)) this.#engine.free(tensor);
  }
}
