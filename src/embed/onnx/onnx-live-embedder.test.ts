import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import expected from '../../../test/fixtures/onnx/expected.json' with { type: 'json' };
import { OnnxLiveEmbedder } from './onnx-live-embedder.ts';

const { length, variates, width } = expected;
const size = length * variates;
const windows = Float32Array.from(expected.windows);
const count = windows.length / size;
const fixture = (name: string) => join(import.meta.dirname, '../../../test/fixtures/onnx', name);
const window = (row: number) => windows.slice(row * size, (row + 1) * size);

async function load(...args: Parameters<typeof OnnxLiveEmbedder.load>): Promise<OnnxLiveEmbedder> {
  const embedder = await OnnxLiveEmbedder.load(...args);
  onTestFinished(() => embedder.dispose());
  return embedder;
}

describe('an ONNX model embeds live windows', () => {
  it.each([
    ['lstm.onnx', expected.lstm.embedding],
    ['dense.onnx', expected.dense.embedding],
    ['dense-fixed-batch.onnx', expected.dense.embedding],
    ['dense-double.onnx', expected.dense.embedding],
  ])('one by one as PyTorch does: %s', async (file, wanted) => {
    const embedder = await load(fixture(file), {}, { length, variates });
    for (let row = 0; row < count; row++) {
      const found = await embedder.embed(window(row), `s${row}`);
      expect(found).toHaveLength(width);
      found.forEach((value, k) => {
        expect(Math.abs(value - wanted[row * width + k])).toBeLessThan(1e-5);
      });
    }
  });

  it('of the shape that the graph declares, or of the one it is told', async () => {
    expect((await load(fixture('lstm.onnx'))).shape).toEqual({ length, variates });
    expect((await load(fixture('dense.onnx'))).shape).toEqual({ length: size, variates: 1 });
    await expect(load(fixture('dense-open-time.onnx'))).rejects.toMatchObject({
      code: 'F3_ONNX_INPUT',
      message: expect.stringContaining('must fix the number of steps and variates'),
    });
    expect((await load(fixture('flatten-open-time.onnx'), {}, { length, variates })).shape).toEqual({
      length,
      variates,
    });
  });

  it('takes any output by name', async () => {
    const embedder = await load(fixture('lstm.onnx'), { embedding: 'logits' });
    expect(await embedder.embed(window(0), 's0')).toHaveLength(expected.classes);
  });
});

describe('an ONNX model that does not fit a stream is refused:', () => {
  it.each([
    ['windows of another shape', 'lstm.onnx', { length: 7, variates: 2 }, 'F3_ONNX_INPUT'],
    ['time before batch', 'lstm-time-major.onnx', { length, variates }, 'F3_ONNX_INPUT'],
    ['no embedding in the graph', 'lstm-logits.onnx', { length, variates }, 'F3_ONNX_OUTPUT'],
    ['no such file', 'none.onnx', { length, variates }, 'F3_ONNX_UNREADABLE'],
  ])('%s, before any window comes', async (_, file, shape, code) => {
    await expect(load(fixture(file), {}, shape)).rejects.toMatchObject({ code });
  });

  it('dropout that is still on, at the first window', async () => {
    // Two passes may drop the same numbers by chance, in one load of some hundred. Four loads do not agree on that.
    const codes: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const embedder = await load(fixture('dense-dropout.onnx'));
      codes.push(
        await embedder.embed(window(0), 's0').then(
          () => 'embedded',
          ({ code }) => code,
        ),
      );
    }
    expect(codes).toContain('F3_ONNX_NOT_FROZEN');
  });

  it('an embedding that depends on its company, at the second window', async () => {
    const embedder = await load(fixture('dense-centred.onnx'), {}, { length, variates });
    await embedder.embed(window(0), 's0');
    await expect(embedder.embed(window(1), 's1')).rejects.toMatchObject({ code: 'F3_ONNX_NOT_FROZEN' });
  });
});

describe('a live window that is none is refused by its name', () => {
  it('for its size, for a number that is none, and for an embedding that is none', async () => {
    const embedder = await load(fixture('logarithm.onnx'), {}, { length, variates });
    const code = 'F3_STREAM_WINDOW';
    await expect(embedder.embed(new Float32Array(3), 's7')).rejects.toMatchObject({
      code,
      message: `sample s7: window must be ${length} × ${variates} numbers, got 3`,
    });
    const hole = window(0).fill(1).fill(Number.NaN, 3, 4);
    await expect(embedder.embed(hole, 's8')).rejects.toMatchObject({ code });
    await expect(embedder.embed(window(0).fill(-1), 's9')).rejects.toMatchObject({
      code: 'F3_ONNX_NOT_FINITE',
      message: expect.stringMatching(/^sample s9: .*logarithm\.onnx: output embedding must be finite, got NaN/),
    });
    expect(await embedder.embed(window(0).fill(1), 's10')).toHaveLength(size);
  });
});
