// [owner] Loads ONNX Runtime, which owners install themselves: the native package if present, else WebAssembly.
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { F3Error } from '../../errors.ts';

/** The part of ONNX Runtime that f3 uses. Both packages offer it. */
export interface OnnxRuntime {
  InferenceSession: { create(model: Uint8Array, options?: InferenceSession.SessionOptions): Promise<InferenceSession> };
  Tensor: new (type: 'float32' | 'float64', data: Float32Array | Float64Array, dims: readonly number[]) => Tensor;
}

const PACKAGES = ['onnxruntime-node', 'onnxruntime-web'];

export async function loadOnnxRuntime(packages: readonly string[] = PACKAGES): Promise<OnnxRuntime> {
  const failures: string[] = [];
  for (const name of packages) {
    try {
      return (await import(/* @vite-ignore */ name)) as OnnxRuntime;
    } catch (cause) {
      failures.push(`${name}: ${isMissing(cause, name) ? 'not installed' : runtimeReason(cause)}`);
    }
  }
  throw new F3Error(
    'F3_ONNX_RUNTIME',
    `ONNX Runtime: must be installed beside f3, got ${failures.join('; ')}. ` +
      'Run npm install onnxruntime-web, or onnxruntime-node, which is native and faster',
  );
}

/** The reason that ONNX Runtime gives, without the wrapping that its WebAssembly build adds. */
export function runtimeReason(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, reason] = message.split('ERROR_MESSAGE: ');
  return (reason ?? message).split('\n')[0].trim();
}

/** Whether the package itself is missing, and not one of the parts it needs. */
function isMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    /Cannot find (package|module)|resolve/i.test(cause.message) &&
    cause.message.includes(`'${name}'`)
  );
}
