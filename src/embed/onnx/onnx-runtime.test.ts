import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadOnnxRuntime } from './onnx-runtime.ts';

describe('ONNX Runtime', () => {
  it('is found among the packages that are installed', async () => {
    const { InferenceSession } = await loadOnnxRuntime(['f3-no-such-runtime', 'onnxruntime-web']);
    expect(InferenceSession.create).toBeTypeOf('function');
  });

  it('is asked for with the command that installs it', async () => {
    await expect(loadOnnxRuntime(['f3-no-such-runtime'])).rejects.toMatchObject({
      code: 'F3_ONNX_RUNTIME',
      message:
        'ONNX Runtime: must be installed beside f3, got f3-no-such-runtime: not installed. ' +
        'Run npm install onnxruntime-web, or onnxruntime-node, which is native and faster',
    });
  });

  it('says why an installed package does not load', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'f3-onnx-'));
    const broken = pathToFileURL(join(folder, 'broken.mjs')).href;
    await writeFile(new URL(broken), "throw new Error('no binary for this machine');");
    await expect(loadOnnxRuntime([broken])).rejects.toThrow('no binary for this machine');
    await rm(folder, { recursive: true });
  });
});
