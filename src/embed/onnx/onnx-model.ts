// [owner] A local model trained elsewhere: a frozen ONNX graph that has the embedding among its outputs.
import type { InferenceSession } from 'onnxruntime-web';
import { sha256 } from '../../base/sha256.ts';
import { F3Error } from '../../errors.ts';
import type { WindowShape } from '../local-model.ts';
import { readOnnxFile } from './onnx-file.ts';
import { checkRows, fixedSize, inputLayout, type OnnxValue, onnxInput, onnxOutput } from './onnx-graph.ts';
import { checkFrozen, type OnnxRows, probabilitiesOf, softmaxOf, stackRows } from './onnx-rows.ts';
import { loadOnnxRuntime, type OnnxRuntime, runtimeReason } from './onnx-runtime.ts';

/** Names of the graph's input and outputs. */
export interface OnnxNames {
  /** Output [batch, d]. Default `embedding`. */
  embedding?: string;
  /** Output [batch, class] whose rows sum to 1. */
  probabilities?: string;
  /** Instead of `probabilities`: output [batch, class] that a softmax turns into them. */
  logits?: string;
  /** Input. A graph has only one, so this name is only checked. */
  input?: string;
}

/** What an ONNX model says about windows. */
export interface OnnxEmbeddings {
  /** [sample, d] */
  embeddings: Float32Array;
  /** [sample, class] */
  probabilities?: Float32Array;
  classes?: number;
}

interface Graph {
  input: OnnxValue;
  embedding: OnnxValue;
  probabilities: OnnxValue | undefined;
  logits: OnnxValue | undefined;
}

/** The output that is taken where none is named. */
const EMBEDDING = 'embedding';
const BATCH = 256;
/** The runtime prints nothing, because failures are thrown. */
const QUIET = { logSeverityLevel: 4 } as const;

/** A local model that was trained elsewhere: a frozen ONNX graph that has the embedding among its outputs. */
export class OnnxModel {
  readonly #file: string;
  /** Names what the model sends: SHA-256 of it with its weights, and of the output's name where that is not `embedding`. */
  readonly hash: string;
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #graph: Graph;
  #width: number | undefined;

  private constructor(file: string, hash: string, runtime: OnnxRuntime, session: InferenceSession, graph: Graph) {
    this.#file = file;
    // One file may have a wide output and a narrow one: an audit of one says nothing of the other.
    const { name } = graph.embedding;
    this.hash = name === EMBEDDING ? hash : sha256(JSON.stringify([hash, name]));
    this.#runtime = runtime;
    this.#session = session;
    this.#graph = graph;
    this.#width = fixedSize(graph.embedding.shape[1]);
  }

  /** Loads the file, with whichever ONNX runtime is installed. */
  static async load(file: string, names: OnnxNames = {}): Promise<OnnxModel> {
    if (names.probabilities !== undefined && names.logits !== undefined) {
      throw new F3Error('F3_ARGUMENT', `${file}: must name an output for probabilities or one for logits, got both`);
    }
    const { bytes, weights, hash } = await readOnnxFile(file);
    const runtime = await loadOnnxRuntime();
    const options = { ...QUIET, externalData: weights };
    const session = await runtime.InferenceSession.create(bytes, options).catch((cause: unknown) => {
      const message = `${file}: must be a model that ONNX Runtime can load, got: ${runtimeReason(cause)}`;
      throw new F3Error('F3_ONNX_UNREADABLE', message, { cause });
    });
    try {
      return new OnnxModel(file, hash, runtime, session, graphOf(file, session, names));
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** Width d of the embeddings. A graph that leaves it open shows it when it first embeds. */
  get width(): number {
    if (this.#width !== undefined) return this.#width;
    const message = `${this.#subject(this.#graph.embedding)} leaves its width open until it has embedded windows`;
    throw new F3Error('F3_ONNX_OUTPUT', message);
  }

  /**
   * The steps and variates of a window, where the graph fixes both. A flat input tells their product only, which then counts as
   * steps of one variate.
   */
  get windowShape(): WindowShape | undefined {
    const [, ...window] = this.#graph.input.shape;
    const [length, variates = 1] = window.map(fixedSize);
    const isFixed = window.length <= 2 && length !== undefined && !window.map(fixedSize).includes(undefined);
    return isFixed ? { length, variates } : undefined;
  }

  /** Throws unless windows of this shape can be fed to the graph. */
  checkShape(shape: WindowShape): void {
    inputLayout(this.#file, this.#graph.input, shape);
  }

  /** windows: [sample, time, variate], as the owner keeps them. Scaling them is up to the graph. */
  async embed(windows: Float32Array, shape: WindowShape): Promise<OnnxEmbeddings> {
    const { input, embedding, probabilities, logits } = this.#graph;
    const layout = inputLayout(this.#file, input, shape);
    const outputs = [embedding, probabilities ?? logits].filter((output) => output !== undefined);
    const size = shape.length * shape.variates;
    // Traced code may fix the batch although the input leaves it open. The output shows that.
    const fixed = layout.batch ?? fixedSize(embedding.shape[0]);
    const run = (from: number, to: number) => {
      const rows = to - from;
      const batch = new Float32Array((fixed ?? rows) * size);
      batch.set(windows.subarray(from * size, to * size));
      // Copies of the last window fill up a fixed batch: unlike zeros, they are inputs that the model knows.
      for (let at = rows * size; at < batch.length; at++) batch[at] = batch[at - size];
      return this.#run(batch, [batch.length / size, ...layout.window], outputs, rows);
    };

    const count = windows.length / size;
    const batches: OnnxRows[][] = [];
    for (let from = 0; from < count; from += fixed ?? BATCH) {
      batches.push(await run(from, Math.min(from + (fixed ?? BATCH), count)));
    }
    const [embeddings, votes] = outputs.map((output, o) => {
      const ofOutput = batches.map((batch) => batch[o]);
      return stackRows(this.#subject(output), ofOutput, output === embedding ? this.#width : undefined);
    });
    if (count === 0) return { embeddings: embeddings.values };

    this.#width = embeddings.width;
    const half = Math.ceil(Math.min(fixed ?? BATCH, count) / 2);
    checkFrozen(this.#subject(embedding), (await run(0, half))[0], embeddings);
    if (!votes) return { embeddings: embeddings.values };
    const subject = this.#subject(outputs[1]);
    return {
      embeddings: embeddings.values,
      probabilities: logits ? softmaxOf(subject, votes) : probabilitiesOf(subject, votes),
      classes: votes.width,
    };
  }

  /** Ends the ONNX session. */
  async dispose(): Promise<void> {
    await this.#session.release();
  }

  /** The first `rows` rows of each output. What follows in a fixed batch is padding. */
  async #run(batch: Float32Array, dims: number[], outputs: OnnxValue[], rows: number): Promise<OnnxRows[]> {
    const { name, type } = this.#graph.input;
    const data = type === 'float64' ? Float64Array.from(batch) : batch;
    const feeds = { [name]: new this.#runtime.Tensor(type, data, dims) };
    // Outputs are not asked for by name, because onnxruntime-node before 1.24 then mixes up the names of the results.
    const results = await this.#session.run(feeds, QUIET).catch((cause: unknown) => {
      const message = `${this.#file}: must run on windows [${dims.join(', ')}], got: ${runtimeReason(cause)}`;
      throw new F3Error('F3_ONNX_RUN', message, { cause });
    });
    return outputs.map((output) => {
      const { dims: shape, data: values } = results[output.name];
      checkRows(this.#file, output.name, shape, dims[0]);
      return { width: shape[1], values: Float32Array.from(values as Float32Array).subarray(0, rows * shape[1]) };
    });
  }

  #subject(output: OnnxValue): string {
    return `${this.#file}: output ${output.name}`;
  }
}

function graphOf(file: string, session: InferenceSession, names: OnnxNames): Graph {
  const output = (purpose: 'embedding' | 'probabilities' | 'logits', name: string) =>
    onnxOutput(file, session.outputMetadata, name, purpose);
  return {
    input: onnxInput(file, session.inputMetadata, names.input),
    embedding: output('embedding', names.embedding ?? EMBEDDING),
    probabilities: names.probabilities === undefined ? undefined : output('probabilities', names.probabilities),
    logits: names.logits === undefined ? undefined : output('logits', names.logits),
  };
}
