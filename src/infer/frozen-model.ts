// [coordinator] A consensus model made ready for many small predictions: alignments, projections and graphs computed once.
import type { Engine } from '../core/engine/engine.ts';
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import type { GlobalModel, PreparedPass } from '../fuse/model/global-model.ts';
import { type PredictionGraphs, predictionDraws } from '../fuse/model/predict-logits.ts';

export class FrozenModel {
  readonly #engine: Engine;
  readonly #model: GlobalModel;
  readonly #passes: PreparedPass[];
  readonly #tape: Tape;

  /** Gives the same answers as `predictLogits`. Not for κ-NN, whose graph is made from the batch. */
  constructor(engine: Engine, model: GlobalModel, graphs: PredictionGraphs = model.config.predictionGraphs) {
    this.#engine = engine;
    this.#model = model;
    this.#tape = engine.inferenceTape();
    const keep = (tensor: Tensor) => engine.buffer(tensor.shape, tensor.data);
    // Alignments are the same in every pass: one copy serves all.
    let projections: Tensor | undefined;
    this.#passes = predictionDraws(model.config, graphs).map((draw) => {
      this.#tape.reset();
      const pass = model.prepare(this.#tape, draw);
      projections ??= pass.projections && keep(pass.projections);
      const { normalised, pooling } = pass;
      return { projections, ...(normalised && pooling && { normalised: keep(normalised), pooling: keep(pooling) }) };
    });
  }

  /** embeddings: [sample, owner, d], present: [sample, owner] where somebody is absent → logits [sample, class] */
  logits(samples: number, embeddings: ArrayLike<number>, present?: ArrayLike<number>): Float32Array {
    const { owners, width, classes } = this.#model.shape;
    const mean = new Float32Array(samples * classes);
    this.#tape.reset();
    const given = this.#tape.constant([samples, owners, width], embeddings);
    const mask = present && this.#tape.constant([samples, owners], present);
    const projected = this.#model.projectPrepared(this.#tape, given, mask, this.#passes[0]);
    for (const pass of this.#passes) {
      const values = this.#model.forwardPrepared(this.#tape, projected, mask, pass).data;
      for (let i = 0; i < values.length; i++) mean[i] += values[i] / this.#passes.length;
    }
    return mean;
  }

  dispose(): void {
    const [{ projections }] = this.#passes;
    if (projections) this.#engine.free(projections);
    for (const { normalised, pooling } of this.#passes) {
      if (normalised) this.#engine.free(normalised);
      if (pooling) this.#engine.free(pooling);
    }
    this.#tape.dispose();
  }
}
