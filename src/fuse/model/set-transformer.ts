// [coordinator] Baseline F: a simplified set transformer (Lee et al. 2019), two layers of four heads, mean over owners.
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { add } from '../../core/ops/add.ts';
import { affine } from '../../core/ops/affine.ts';
import { layerNorm } from '../../core/ops/layer-norm.ts';
import { relu } from '../../core/ops/relu.ts';
import { selfAttention } from '../../core/ops/self-attention.ts';
import { weightedMean } from '../../core/ops/weighted-mean.ts';
import { fanInUniform } from '../../core/optimizer/initialise.ts';
import { RandomStream } from '../../core/random.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { undoDropout } from '../training/drop-owners.ts';
import type { FusionModel, FusionShape, OwnerBatch } from './fusion-model.ts';

const LAYERS = 2;
const HEADS = 4;
const STREAM = 4;

/** Baseline F: a simplified set transformer over the owners' embeddings. */
export class SetTransformer implements FusionModel {
  readonly kind = 'transformer';
  readonly config: FusionConfig;
  readonly shape: FusionShape;
  /** Per layer l: Wq.l, Wk.l, Wv.l, Wo.l [D, D] with biases, gain and shift of two norms; Wi [d, D], Wc [D, classes]. */
  readonly parameters: Record<string, Tensor> = {};
  readonly lastLayer = ['Wc', 'bc'];
  readonly #engine: Engine;

  constructor(engine: Engine, config: FusionConfig, shape: FusionShape) {
    this.config = config;
    this.shape = shape;
    this.#engine = engine;
    const random = new RandomStream(config.seed, STREAM);
    // Heads share the width evenly.
    const width = Math.ceil(shape.width / HEADS) * HEADS;
    const dense = (name: string, from: number, to: number) => {
      this.parameters[`W${name}`] = engine.parameter([from, to], fanInUniform(random, [from, to], from));
      this.parameters[`b${name}`] = engine.parameter([to], fanInUniform(random, [to], from));
    };
    dense('i', shape.width, width);
    for (let layer = 0; layer < LAYERS; layer++) {
      for (const name of ['q', 'k', 'v', 'o']) dense(`${name}.${layer}`, width, width);
      for (const norm of [0, 1]) {
        this.parameters[`gain.${layer}.${norm}`] = engine.parameter([width], new Float32Array(width).fill(1));
        this.parameters[`shift.${layer}.${norm}`] = engine.parameter([width]);
      }
    }
    dense('c', width, shape.classes);
  }

  forward(tape: Tape, batch: OwnerBatch): { logits: Tensor } {
    const { embeddings, present } = batch;
    let x = this.#dense(tape, embeddings, 'i');
    for (let layer = 0; layer < LAYERS; layer++) x = this.#attend(tape, x, layer, present);
    const pooled = undoDropout(tape, weightedMean(tape, x, present), batch);
    return { logits: this.#dense(tape, pooled, 'c') };
  }

  dispose(): void {
    for (const tensor of Object.values(this.parameters)) this.#engine.free(tensor);
  }

  /** y = norm(q + attention(q, k, v)), then norm(y + relu(yW + b)): [sample, owner, D] → [sample, owner, D] */
  #attend(tape: Tape, x: Tensor, layer: number, present: Tensor | undefined): Tensor {
    const [q, k, v] = ['q', 'k', 'v'].map((name) => this.#dense(tape, x, `${name}.${layer}`));
    const attended = add(tape, q, selfAttention(tape, q, k, v, { heads: HEADS, present }));
    const y = this.#norm(tape, attended, layer, 0);
    return this.#norm(tape, add(tape, y, relu(tape, this.#dense(tape, y, `o.${layer}`))), layer, 1);
  }

  #norm(tape: Tape, x: Tensor, layer: number, norm: number): Tensor {
    const { [`gain.${layer}.${norm}`]: gain, [`shift.${layer}.${norm}`]: shift } = this.parameters;
    return layerNorm(tape, x, gain, shift);
  }

  #dense(tape: Tape, x: Tensor, name: string): Tensor {
    return affine(tape, x, this.parameters[`W${name}`], this.parameters[`b${name}`]);
  }
}
