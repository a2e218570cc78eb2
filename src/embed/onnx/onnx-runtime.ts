// [owner] ONNX Runtime, which f3 does not install by itself: the native package if the owner has it, else the WebAssembly one.
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { F3Error } from '../../errors.ts';

/** What f3 uses of it; both packages offer the same. */
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
    `ONNX models need ONNX Runtime beside f3, got none (${failures.join('; ')}): ` +
      'npm install onnxruntime-web, or onnxruntime-node, which is native and faster',
  );
}

/** What ONNX Runtime says, without the wrapping that its WebAssembly build adds. */
export function runtimeReason(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, told] = message.split('ERROR_MESSAGE: ');
  return (told ?? message).split('\n')[0].trim();
}

/** A package that is there but lacks one of its own parts is not missing. */
function isMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    /Cannot find (package|module)|resolve/i.test(cause.message) &&
    cause.message.includes(`'${name}'`)
  );
}
