// [owner] What `f3 owner stream` embeds with: the model that f3 trained in an owner's folder, or one brought as ONNX.
import type { Engine } from '../../core/engine/engine.ts';
import { LiveEmbedder } from '../../embed/live-embedder.ts';
import type { WindowShape } from '../../embed/local-model.ts';
import type { OnnxLiveEmbedder } from '../../embed/onnx/onnx-live-embedder.ts';
import { modelHash } from '../../embed/owner-model.ts';
import { F3Error } from '../../errors.ts';

export interface StreamModelOptions {
  /** Folder with the trained model, if windows come from stdin. */
  model?: string;
  /** File of a model trained elsewhere. */
  onnx?: string;
  /** Name of the ONNX model's output that is the embedding. */
  embedding?: string;
  /** Shape of the windows from stdin, if the ONNX model does not fix it. */
  window?: WindowShape;
}

export interface StreamEmbedder {
  /** What names the model, as bundles of it state it. */
  model: string;
  /** `window`: [time, variate] → [d] */
  embed(window: Float32Array, sample: string): Float32Array | Promise<Float32Array>;
  dispose(): void | Promise<void>;
}

/** `source` is an owner's folder, or - for stdin. `member` is the owner that streams; the model must be its own. */
export async function openEmbedder(
  engine: Engine,
  source: string,
  options: StreamModelOptions,
  member: string,
): Promise<StreamEmbedder> {
  checkOptions(source, options);
  if (options.onnx) return openOnnx(source, options.onnx, options, member);
  const folder = source === '-' ? (options.model as string) : source;
  const embedder = await LiveEmbedder.load(engine, folder);
  checkMember(`model ${folder}`, embedder.card.owner, member);
  return {
    model: modelHash(embedder.card),
    embed: (...of) => embedder.embed(...of),
    dispose: () => embedder.dispose(),
  };
}

async function openOnnx(
  source: string,
  file: string,
  { embedding, window }: StreamModelOptions,
  member: string,
): Promise<StreamEmbedder> {
  const { OnnxLiveEmbedder: Embedder } = await import('../../embed/onnx/onnx-live-embedder.ts');
  const names = embedding === undefined ? {} : { embedding };
  if (source === '-') return onnxStream(await Embedder.load(file, names, window));
  const { readOwnerFolder } = await import('../../data/dataset/owner-folder.ts');
  const { id, length, variates } = await readOwnerFolder(source);
  checkMember(`folder ${source}`, id, member);
  return onnxStream(await Embedder.load(file, names, { length, variates: variates.length }));
}

const onnxStream = (embedder: OnnxLiveEmbedder): StreamEmbedder => ({
  model: embedder.hash,
  embed: (...of) => embedder.embed(...of),
  dispose: () => embedder.dispose(),
});

function checkOptions(source: string, { model, onnx, embedding, window }: StreamModelOptions): void {
  const isStdin = source === '-';
  if (isStdin && !model && !onnx) {
    throw new F3Error('F3_OPTION', '--model: must name the trained owner’s folder for -, or --onnx a model’s file');
  }
  if (!isStdin && model) throw new F3Error('F3_OPTION', '--model: is for - only, got a folder too');
  if (model && onnx) throw new F3Error('F3_OPTION', '--model: is for a model that f3 trained, got --onnx too');
  if (embedding && !onnx) throw new F3Error('F3_OPTION', '--embedding: is for --onnx only');
  if (window && !(isStdin && onnx)) throw new F3Error('F3_OPTION', '--window: is for - with --onnx only');
}

function checkMember(thing: string, owner: string, member: string): void {
  if (owner === member) return;
  throw new F3Error('F3_OWNER_MISMATCH', `${thing}: owner must be the member's ${member}, got ${owner}`);
}
