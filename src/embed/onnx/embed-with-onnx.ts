// [owner] Embeds an owner's windows with a model trained elsewhere, frozen in an ONNX file.
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { F3Error } from '../../errors.ts';
import type { OwnerEmbeddings } from '../embed-owner.ts';
import { OnnxModel, type OnnxNames } from './onnx-model.ts';

/** Class probabilities are there only if the ONNX model gives them. */
export type OnnxOwnerEmbeddings = Omit<OwnerEmbeddings, 'classes' | 'probabilities' | 'objective'> &
  Partial<OwnerEmbeddings>;

/** Embeds every window of an owner with a model that was trained elsewhere. */
export async function embedWithOnnx(folder: string, file: string, names: OnnxNames): Promise<OnnxOwnerEmbeddings> {
  const owner = await readOwnerFolder(folder);
  const model = await OnnxModel.load(file, names);
  try {
    const shape = { length: owner.length, variates: owner.variates.length };
    const result = await model.embed(owner.windows, shape);
    if (result.classes !== undefined && owner.classes && result.classes !== owner.classes.length) {
      const rule = `must give one probability for each of the ${owner.classes.length} classes of owner ${owner.id}`;
      throw new F3Error('F3_ONNX_OUTPUT', `${file}: ${rule}, got ${result.classes}`);
    }
    return { owner: owner.id, samples: owner.samples, width: model.width, ...result, model: model.hash };
  } finally {
    await model.dispose();
  }
}
