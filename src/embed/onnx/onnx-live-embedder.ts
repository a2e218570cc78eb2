// [owner] A frozen ONNX model that embeds windows one at a time, as they come, under the checks that embedding a folder makes.
import { errorCode, F3Error } from '../../errors.ts';
import { checkWindow } from '../check-window.ts';
import type { WindowShape } from '../local-model.ts';
import { OnnxModel, type OnnxNames } from './onnx-model.ts';

/** A model trained elsewhere that embeds windows one at a time, as they come. */
export class OnnxLiveEmbedder {
  /** As `OnnxModel.hash`. */
  readonly hash: string;
  readonly shape: WindowShape;
  readonly #model: OnnxModel;
  /** The first window, until a second one has been embedded in its company. */
  #first: Float32Array | undefined;
  #isChecked = false;

  /** `shape`: of the owner's windows; default: what the graph declares, which must then be whole */
  static async load(file: string, names: OnnxNames = {}, shape?: WindowShape): Promise<OnnxLiveEmbedder> {
    const model = await OnnxModel.load(file, names);
    try {
      const used = shape ?? model.windowShape;
      if (used) {
        model.checkShape(used);
        return new OnnxLiveEmbedder(model, used);
      }
      const rule = 'its input must fix the number of steps and variates where no folder of windows tells them';
      throw new F3Error('F3_ONNX_INPUT', `${file}: ${rule}, got sizes left open`, { remedy: 'windowShape' });
    } catch (error) {
      await model.dispose();
      throw error;
    }
  }

  private constructor(model: OnnxModel, shape: WindowShape) {
    this.#model = model;
    this.hash = model.hash;
    this.shape = shape;
  }

  /** `window`: [time, variate] → [d] */
  async embed(window: Float32Array, sample: string): Promise<Float32Array> {
    checkWindow(window, this.shape, sample);
    try {
      const { embeddings } = await this.#model.embed(window, this.shape);
      await this.#checkCompany(window);
      return embeddings;
    } catch (thrown) {
      if (errorCode(thrown) !== 'F3_ONNX_NOT_FINITE') throw thrown;
      throw new F3Error('F3_ONNX_NOT_FINITE', `sample ${sample}: ${(thrown as Error).message}`, { cause: thrown });
    }
  }

  /** Two windows together show whether one changes the other's embedding; a single window cannot. */
  async #checkCompany(window: Float32Array): Promise<void> {
    if (this.#isChecked) return;
    if (!this.#first) {
      this.#first = window.slice();
      return;
    }
    const both = new Float32Array(2 * window.length);
    both.set(this.#first);
    both.set(window, window.length);
    await this.#model.embed(both, this.shape);
    this.#isChecked = true;
    this.#first = undefined;
  }

  /** Ends the ONNX session. */
  dispose(): Promise<void> {
    return this.#model.dispose();
  }
}
