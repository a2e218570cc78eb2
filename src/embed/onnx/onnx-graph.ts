// [owner] Whether the input and outputs of an ONNX graph fit an owner: one input of windows, one output row per window.
import type { InferenceSession } from 'onnxruntime-web';
import { F3Error } from '../../errors.ts';
import type { WindowShape } from '../local-model.ts';

/** An input or output: its declared sizes are numbers, or names of sizes left open. */
export interface OnnxValue {
  name: string;
  type: 'float32' | 'float64';
  shape: readonly (number | string)[];
}

/** The shape in which windows are fed to the graph. */
export interface InputLayout {
  /** Batch size that the graph fixes; undefined where it leaves it open. */
  batch: number | undefined;
  /** [time, variate] or [time·variate] */
  window: number[];
}

type Metadata = InferenceSession.ValueMetadata;

/** The only input. A graph that needs more than the windows cannot embed them. */
export function onnxInput(file: string, inputs: readonly Metadata[], name?: string): OnnxValue {
  const found = inputs.find((input) => name === undefined || input.name === name);
  if (found && inputs.length === 1) return floats('F3_ONNX_INPUT', `${file}: input ${found.name}`, found);
  const wanted = name === undefined ? '' : ` named ${name}`;
  throw new F3Error('F3_ONNX_INPUT', `${file}: must take the windows as its one input${wanted}, got ${list(inputs)}`);
}

/** The output of that name. `purpose` is embedding, probabilities or logits, for messages. */
export function onnxOutput(file: string, outputs: readonly Metadata[], name: string, purpose: string): OnnxValue {
  const found = outputs.find((output) => output.name === name);
  if (!found) {
    throw new F3Error(
      'F3_ONNX_OUTPUT',
      `${file}: the graph must have the ${purpose} as output ${name}, got ${list(outputs)}; ` +
        `name one of these, or return the ${purpose} from forward() and export again`,
    );
  }
  const value = floats('F3_ONNX_OUTPUT', `${file}: output ${name}`, found);
  // Sizes that the graph does not declare show when it runs.
  if (value.shape.length > 0) checkRows(file, name, value.shape);
  return value;
}

/** Throws unless an output has one row per window. `rows` is known only when the graph has run. */
export function checkRows(file: string, name: string, shape: OnnxValue['shape'], rows?: number): void {
  const fits = shape.length === 2 && (rows === undefined || shape[0] === rows);
  if (fits) return;
  const wanted = `[${rows ?? 'batch'}, width]`;
  const hint = shape.length > 2 ? '; take one step, say, or the mean over time' : '';
  throw new F3Error('F3_ONNX_OUTPUT', `${file}: output ${name} must be ${wanted}, got ${showShape(shape)}${hint}`);
}

/** How to feed an owner's windows. Throws on shapes that would run but mix up time and batch. */
export function inputLayout(file: string, input: OnnxValue, { length, variates }: WindowShape): InputLayout {
  const [batch, ...rest] = input.shape;
  const window = rest.length === 1 ? [length * variates] : [length, variates];
  const fits = (dims: number[]) => dims.length === rest.length && dims.every((n, i) => (fixedSize(rest[i]) ?? n) === n);
  const timeFirst = rest.length === 2 && length > 1 && batch === length && fixedSize(rest[0]) !== length;
  if (fits(window) && !timeFirst) return { batch: fixedSize(batch), window };
  const hint = timeFirst
    ? '. Is time first? Transpose in forward(), or use batch_first=True'
    : fits([variates, length])
      ? '. Is the variate before time? Transpose in forward()'
      : '';
  throw new F3Error(
    'F3_ONNX_INPUT',
    `${file}: input ${input.name} must be [batch, ${length}, ${variates}] or [batch, ${length * variates}], ` +
      `as the owner's windows are ${length} steps of ${variates} variate${variates === 1 ? '' : 's'}, ` +
      `got ${showShape(input.shape)}${hint}`,
  );
}

export function fixedSize(size: number | string | undefined): number | undefined {
  return typeof size === 'number' && size > 0 ? size : undefined;
}

function floats(code: 'F3_ONNX_INPUT' | 'F3_ONNX_OUTPUT', subject: string, value: Metadata): OnnxValue {
  const type = value.isTensor ? value.type : 'no tensor';
  if (value.isTensor && (type === 'float32' || type === 'float64')) {
    return { name: value.name, type, shape: value.shape };
  }
  throw new F3Error(code, `${subject} must be float32 or float64, got ${type}`);
}

function list(values: readonly Metadata[]): string {
  const show = (value: Metadata) =>
    value.isTensor ? `${value.name} ${showShape(value.shape)} ${value.type}` : `${value.name} (no tensor)`;
  return values.map(show).join(', ') || 'none';
}

function showShape(shape: OnnxValue['shape']): string {
  return `[${shape.map((size) => (typeof size === 'string' ? size || '?' : size)).join(', ')}]`;
}
