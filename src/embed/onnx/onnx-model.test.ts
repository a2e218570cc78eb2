// Models exported by PyTorch (test/fixtures/onnx/make.py), run for real; expected.json is what PyTorch computes.
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import expected from '../../../test/fixtures/onnx/expected.json' with { type: 'json' };
import { OnnxModel, type OnnxNames } from './onnx-model.ts';

const fixture = (name: string) => join(import.meta.dirname, '../../../test/fixtures/onnx', name);
const { length, variates, width, classes } = expected;
const shape = { length, variates };
const windows = Float32Array.from(expected.windows);
const count = windows.length / (length * variates);

async function embed(name: string, names?: OnnxNames, values = windows, size = shape) {
  const model = await OnnxModel.load(fixture(name), names);
  try {
    return await model.embed(values, size);
  } finally {
    await model.dispose();
  }
}

function expectClose(found: Float32Array | undefined, wanted: ArrayLike<number>) {
  expect(found).toHaveLength(wanted.length);
  const apart = Array.from(found!, (value, i) => Math.abs(value - wanted[i]));
  expect(Math.max(...apart)).toBeLessThan(1e-5);
}

const softmax = (row: number[]) => {
  const exponentials = row.map(Math.exp);
  return exponentials.map((value) => value / exponentials.reduce((a, b) => a + b));
};

const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  const { code, message } = error as Error & { code: string };
  const [file, ...rest] = message.split(': ');
  return `${code} ${[basename(file), ...rest].join(': ')}`;
};

describe('an ONNX model embeds as PyTorch does', () => {
  it('with windows [batch, time, variate]', async () => {
    const model = await OnnxModel.load(fixture('lstm.onnx'), { input: 'windows' });
    expect(model.width).toBe(width);
    const { embeddings, ...rest } = await model.embed(windows, shape);
    expectClose(embeddings, expected.lstm.embedding);
    expect(rest).toEqual({});
    await model.dispose();
  });

  it('with windows flattened to [batch, time·variate]', async () => {
    const { embeddings, probabilities, classes: found } = await embed('dense.onnx', { probabilities: 'probabilities' });
    expectClose(embeddings, expected.dense.embedding);
    expectClose(probabilities, expected.dense.probabilities);
    expect(found).toBe(classes);
  });

  it('with a fixed batch, which the last window fills up', async () => {
    expect(count % 4).not.toBe(0);
    const { embeddings, probabilities } = await embed('dense-fixed-batch.onnx', { probabilities: 'probabilities' });
    expectClose(embeddings, expected.dense.embedding);
    expectClose(probabilities, expected.dense.probabilities);
  });

  it('in several batches', async () => {
    const times = 60;
    const many = Float32Array.from({ length: windows.length * times }, (_, i) => windows[i % windows.length]);
    const { embeddings } = await embed('lstm.onnx', {}, many);
    const wanted = expected.lstm.embedding;
    expectClose(
      embeddings,
      Array.from({ length: wanted.length * times }, (_, i) => wanted[i % wanted.length]),
    );
  });

  it('one by one, when tracing fixed the batch behind an open input', async () => {
    const { embeddings } = await embed('dense-baked-batch.onnx');
    expect(embeddings).toHaveLength(count * width);
  });

  it('in float64', async () => {
    const { embeddings } = await embed('dense-double.onnx');
    expect(embeddings).toBeInstanceOf(Float32Array);
    expectClose(embeddings, expected.dense.embedding);
  });

  it('and turns logits into probabilities', async () => {
    const { probabilities } = await embed('lstm.onnx', { logits: 'logits' });
    const { logits } = expected.lstm;
    const rows = Array.from({ length: count }, (_, row) => softmax(logits.slice(row * classes, (row + 1) * classes)));
    expectClose(probabilities, rows.flat());
  });

  it('when any other output is named as the embedding', async () => {
    const { embeddings } = await embed('lstm.onnx', { embedding: 'logits', logits: 'logits' });
    expectClose(embeddings, expected.lstm.logits);
  });

  it('with a width that shows only when it runs', async () => {
    const model = await OnnxModel.load(fixture('flatten-open-time.onnx'));
    expect(() => model.width).toThrow('output embedding leaves its width open until it has embedded windows');
    expect((await model.embed(windows, shape)).embeddings).toEqual(windows);
    expect(model.width).toBe(12);
    expect(await failure(model.embed(windows.subarray(0, 6), { length: 3, variates: 2 }))).toBe(
      'F3_ONNX_OUTPUT flatten-open-time.onnx: output embedding must keep its width of 12, got 6',
    );
    await model.dispose();
  });

  it('or not at all, when there are no windows', async () => {
    expect(await embed('lstm.onnx', {}, new Float32Array(0))).toEqual({ embeddings: new Float32Array(0) });
  });
});

describe('the hash of an ONNX model', () => {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  it('is the SHA-256 of the file', async () => {
    const model = await OnnxModel.load(fixture('lstm.onnx'));
    expect(model.hash).toBe(sha256(await readFile(fixture('lstm.onnx'))));
    await model.dispose();
  });

  it('is another one where another output is the embedding', async () => {
    const hashOf = async (embedding: string) => {
      const model = await OnnxModel.load(fixture('lstm.onnx'), { embedding });
      await model.dispose();
      return model.hash;
    };
    expect(await hashOf('embedding')).toBe(sha256(await readFile(fixture('lstm.onnx'))));
    expect(await hashOf('logits')).not.toBe(await hashOf('embedding'));
    expect(await hashOf('logits')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('covers weights kept in a file of their own', async () => {
    const model = await OnnxModel.load(fixture('dense-external.onnx'));
    const files = await Promise.all(
      ['dense-external.onnx', 'dense-external.onnx.data'].map((n) => readFile(fixture(n))),
    );
    expect(model.hash).toBe(sha256(Buffer.concat(files)));
    expectClose((await model.embed(windows, shape)).embeddings, expected.dense.embedding);
    await model.dispose();
  });
});

describe('an ONNX model that does not fit is refused:', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'f3-onnx-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('no embedding in the graph: the outputs it has are listed', async () => {
    expect(await failure(embed('lstm-logits.onnx'))).toBe(
      'F3_ONNX_OUTPUT lstm-logits.onnx: the graph must have the embedding as output embedding, ' +
        'got logits [batch, 3] float32, label [batch] int64, score [batch, 1] float32; ' +
        'name one of these, or return the embedding from forward() and export again',
    );
  });

  it('an output that is not float', async () => {
    expect(await failure(embed('lstm-logits.onnx', { embedding: 'label' }))).toBe(
      'F3_ONNX_OUTPUT lstm-logits.onnx: output label must be float32 or float64, got int64',
    );
  });

  it('an input that is not float32 or float64', async () => {
    expect(await failure(embed('flatten-half.onnx'))).toBe(
      'F3_ONNX_INPUT flatten-half.onnx: input windows must be float32 or float64, got float16',
    );
  });

  it('an output with more than one row per window', async () => {
    expect(await failure(embed('lstm-sequence.onnx'))).toMatch(
      /^F3_ONNX_OUTPUT .*output embedding must be \[batch, width\], got \[batch, 6, 5\]; take one step, say, or the mean/,
    );
  });

  it('a second input', async () => {
    expect(await failure(embed('lstm-two-inputs.onnx', { input: 'windows' }))).toBe(
      'F3_ONNX_INPUT lstm-two-inputs.onnx: must take the windows as its one input named windows, got ' +
        'windows [batch, 6, 2] float32, state [1, 1, 5] float32',
    );
  });

  it('an input of another name', async () => {
    expect(await failure(embed('lstm.onnx', { input: 'readings' }))).toMatch(
      /^F3_ONNX_INPUT .*one input named readings/,
    );
  });

  it("windows of another shape: the model's and the owner's are named", async () => {
    expect(await failure(embed('lstm.onnx', {}, new Float32Array(14), { length: 7, variates: 2 }))).toBe(
      "F3_ONNX_INPUT lstm.onnx: input windows must be [batch, 7, 2] or [batch, 14], as the owner's windows are " +
        '7 steps of 2 variates, got [batch, 6, 2]',
    );
    expect(await failure(embed('dense.onnx', {}, new Float32Array(14), { length: 14, variates: 1 }))).toMatch(
      /must be \[batch, 14, 1\] or \[batch, 14\], .* 14 steps of 1 variate, got \[batch, 12\]$/,
    );
  });

  it('time and variate swapped', async () => {
    expect(await failure(embed('lstm.onnx', {}, windows, { length: 2, variates: 6 }))).toMatch(
      /^F3_ONNX_INPUT .*got \[batch, 6, 2\]. Is the variate before time\?/,
    );
  });

  it('time before batch, which would run and mix them up', async () => {
    expect(await failure(embed('lstm-time-major.onnx'))).toMatch(
      /^F3_ONNX_INPUT .*got \[6, batch, 2\]. Is time first\? .*batch_first=True/,
    );
  });

  it('dropout that is still on', async () => {
    expect(await failure(embed('dense-dropout.onnx'))).toMatch(
      /^F3_ONNX_NOT_FROZEN .*got .* and then .* model.eval\(\)/,
    );
  });

  it('an embedding that depends on the other windows of the batch', async () => {
    expect(await failure(embed('dense-centred.onnx'))).toMatch(/^F3_ONNX_NOT_FROZEN /);
  });

  it('NaN', async () => {
    const first = windows.findIndex((value) => value < 0);
    const [window, column] = [Math.floor(first / 12), first % 12];
    expect(
      await failure(
        embed(
          'logarithm.onnx',
          {},
          windows.map((value) => value || 1),
        ),
      ),
    ).toBe(
      `F3_ONNX_NOT_FINITE logarithm.onnx: output embedding must be finite, got NaN (window ${window}, column ${column})`,
    );
  });

  it('a graph that fails on the windows', async () => {
    expect(await failure(embed('dense-open-time.onnx', {}, new Float32Array(14), { length: 7, variates: 2 }))).toMatch(
      /^F3_ONNX_RUN dense-open-time.onnx: must run on windows \[1, 7, 2\], got: /,
    );
  });

  it('logits in place of probabilities', async () => {
    expect(await failure(embed('lstm.onnx', { probabilities: 'logits' }))).toMatch(
      /^F3_ONNX_OUTPUT .*output logits must be probabilities that sum to 1, got \[.*\] \(window 0\); if these are logits/,
    );
  });

  it('one column for two classes', async () => {
    expect(await failure(embed('lstm-logits.onnx', { embedding: 'logits', logits: 'score' }))).toBe(
      'F3_ONNX_OUTPUT lstm-logits.onnx: output score must have one column for each class, got 1',
    );
  });

  it('both logits and probabilities', async () => {
    const both = { probabilities: 'probabilities', logits: 'logits' };
    expect(await failure(embed('lstm.onnx', both))).toMatch(/^F3_ARGUMENT .*got both$/);
  });

  it('no such file', async () => {
    expect(await failure(embed('none.onnx'))).toBe('F3_ONNX_UNREADABLE none.onnx: must be readable, got no such file');
  });

  it.each(['', 'PK\u0003\u0004 a zip archive of PyTorch', 'hello'])('a file that is not ONNX: %j', async (content) => {
    const file = join(folder, 'model.pt');
    await writeFile(file, content);
    expect(await failure(OnnxModel.load(file))).toMatch(/^F3_ONNX_UNREADABLE model.pt: must be /);
  });

  it('half a file', async () => {
    const file = join(folder, 'half.onnx');
    await writeFile(file, (await readFile(fixture('lstm.onnx'))).subarray(0, 1500));
    expect(await failure(OnnxModel.load(file))).toMatch(/^F3_ONNX_UNREADABLE half.onnx: must be an ONNX model/);
  });

  it('weights left behind', async () => {
    await cp(fixture('dense-external.onnx'), join(folder, 'dense-external.onnx'));
    expect(await failure(OnnxModel.load(join(folder, 'dense-external.onnx')))).toBe(
      'F3_ONNX_UNREADABLE dense-external.onnx.data: must be readable, got no such file',
    );
  });

  it('weights outside its folder', async () => {
    const bytes = await readFile(fixture('dense-external.onnx'), 'latin1');
    const file = join(folder, 'outside.onnx');
    await writeFile(file, bytes.replaceAll('dense-external.onnx.data', '../../../../../../secret'), 'latin1');
    expect((await failure(OnnxModel.load(file))).split(' ')[0]).toBe('F3_ONNX_UNREADABLE');
    await expect(OnnxModel.load(file)).rejects.toThrow('its weights must lie in the folder of the model');
  });
});
