import { describe, expect, it } from 'vitest';
import { decodeSafetensors, encodeSafetensors } from './safetensors.ts';

const file = {
  tensors: {
    weight: { shape: [2, 3], values: Float32Array.of(1, -2, 3.5, 0, 1e-30, 7) },
    bias: { shape: [], values: Float32Array.of(42) },
  },
  metadata: { owner: 'sensor-17' },
};

describe('safetensors', () => {
  it('gives back what was written', () => {
    expect(decodeSafetensors(encodeSafetensors(file))).toEqual(file);
  });

  it('reads a Node Buffer, wherever in its pool it lies', () => {
    const bytes = encodeSafetensors(file);
    const pooled = Buffer.concat([Buffer.from('xyz'), bytes]).subarray(3);
    expect(decodeSafetensors(pooled)).toEqual(file);
  });

  it('lays the file out as the format says', () => {
    const bytes = encodeSafetensors(file);
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))).toEqual({
      __metadata__: { owner: 'sensor-17' },
      weight: { dtype: 'F32', shape: [2, 3], data_offsets: [0, 24] },
      bias: { dtype: 'F32', shape: [], data_offsets: [24, 28] },
    });
    expect(bytes.length).toBe(8 + length + 28);
  });

  it('refuses a truncated file', () => {
    const bytes = encodeSafetensors(file);
    expect(() => decodeSafetensors(bytes.subarray(0, 5), 'w.safetensors')).toThrow(
      expect.objectContaining({
        code: 'F3_SAFETENSORS',
        message: 'w.safetensors: a safetensors file must have at least 8 bytes, got 5',
      }),
    );
    expect(() => decodeSafetensors(bytes.subarray(0, 20))).toThrow("the header must fit into the file's 20 bytes");
    expect(() => decodeSafetensors(bytes.subarray(0, bytes.length - 1))).toThrow(
      'tensor bias must span 4 of the 27 data bytes, got 24 to 28',
    );
  });

  it('refuses a header that is not JSON, and other number types', () => {
    const bytes = encodeSafetensors(file);
    const text = (change: (header: string) => string) => {
      const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
      const changed = bytes.slice();
      const header = change(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
      changed.set(new TextEncoder().encode(header), 8);
      return changed;
    };
    expect(() => decodeSafetensors(text((h) => h.replace('{', '[')))).toThrow('the header must be a JSON object');
    expect(() => decodeSafetensors(text((h) => h.replace('F32', 'F16')))).toThrow('tensor weight must be F32, got F16');
  });
});
