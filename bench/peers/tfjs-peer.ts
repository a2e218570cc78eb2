// TensorFlow.js (wasm backend) peer of the benches: the jobs and the line protocol of pytorch_peer.py, on one thread.
//
// The backend refuses threads in Node (github.com/tensorflow/tfjs/issues/3830). Forcing WASM_HAS_MULTITHREAD_SUPPORT
// fails on blob: workers, and with those patched setThreadsCount(2) still yields a pool of one; so SIMD, one thread.
import { createRequire, registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { getThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';

type Params = Record<'n' | 'batch' | 'd' | 'h' | 'classes' | 'steps' | 'hidden' | 'seed', number>;
type Sampler = 'icdf' | 'gumbel';

const TEMPERATURE = 0.1;
const THETA_LOW = 1e-4;
const TRAIN_SAMPLES = 1999; // 70 % of METR-LA's 2856 windows
const DEFAULTS: Params = { n: 207, batch: 100, d: 16, h: 8, classes: 2, steps: 12, hidden: 16, seed: 0 };

// --- random numbers: tf.randomNormal and tf.randomUniform take twice as long as these loops -------------------------

/** sfc32. */
class Random {
  #a: number;
  #b = 0x9e3779b9 | 0;
  #c = 0x243f6a88;
  #d = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    for (let i = 0; i < 12; i++) this.uniform();
  }

  /** In the open interval (0, 1). */
  uniform(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return ((t >>> 8) + 0.5) / 0x1000000;
  }
}

function fillUniform(out: Float32Array, random: Random): Float32Array {
  for (let i = 0; i < out.length; i++) out[i] = random.uniform();
  return out;
}

/** Marsaglia's polar method: in JavaScript cheaper than Box–Muller or the inverse CDF, here or as wasm operations. */
function fillNormal(out: Float32Array, random: Random): Float32Array {
  for (let i = 0; i < out.length; i += 2) {
    let x: number;
    let y: number;
    let s: number;
    do {
      x = 2 * random.uniform() - 1;
      y = 2 * random.uniform() - 1;
      s = x * x + y * y;
    } while (s >= 1 || s === 0);
    const scale = Math.sqrt((-2 * Math.log(s)) / s);
    out[i] = x * scale;
    if (i + 1 < out.length) out[i + 1] = y * scale;
  }
  return out;
}

// --- products -------------------------------------------------------------------------------------------------------
// matMul reaches XNNPACK only for two plain matrices: 3 ms for 207 x 207 x 800. With a transposed argument, as in its
// own gradient, or with a batch, the backend falls back to a scalar loop: 35 ms. Hence gradients with real transposes,
// and a batch cut into matrices.

/** [m, k] · [k, n] */
const product = tf.customGrad((...args) => {
  const [a, b, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc];
  save([a, b]);
  const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor[] => [
    tf.matMul(dy, tf.transpose(saved[1]!)),
    tf.matMul(tf.transpose(saved[0]!), dy),
  ];
  return { value: tf.matMul(a, b), gradFunc };
}) as (a: tf.Tensor, b: tf.Tensor) => tf.Tensor2D;

/** [count, rows, columns] to `count` matrices. By way of JavaScript: tf.unstack copies the whole batch for each. */
function matrices(batch: tf.Tensor): tf.Tensor2D[] {
  const [count, rows, columns] = batch.shape as [number, number, number];
  const values = batch.dataSync<'float32'>();
  const size = rows * columns;
  const one = (i: number) => tf.tensor2d(values.subarray(i * size, (i + 1) * size), [rows, columns]);
  return Array.from({ length: count }, (_, i) => one(i));
}

function productEach(a: tf.Tensor2D[], b: tf.Tensor2D[]): tf.Tensor3D {
  return tf.stack(a.map((matrix, i) => tf.matMul(matrix, b[i]!))) as tf.Tensor3D;
}

/** [count, n, n] · [count, n, k] for symmetric left matrices. */
const symmetricProduct = tf.customGrad((...args) => {
  const [a, b, save] = args as unknown as [tf.Tensor3D, tf.Tensor3D, tf.GradSaveFunc];
  const left = matrices(a).map((matrix) => tf.keep(matrix)); // save() would copy them
  save([b]);
  const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor[] => {
    const dys = matrices(dy);
    const transposed = matrices(tf.transpose(saved[0]!, [0, 2, 1]));
    const gradients = [productEach(dys, transposed), productEach(left, dys)];
    tf.dispose(left);
    return gradients;
  };
  return { value: productEach(left, matrices(b)), gradFunc };
}) as (a: tf.Tensor, b: tf.Tensor) => tf.Tensor3D;

/** [count, n, n] to [count, n, 1]; tf.sum's own gradient fills count n n ones in JavaScript. */
const rowSums = tf.customGrad((...args) => {
  const [a] = args as unknown as [tf.Tensor3D];
  const gradFunc = (dy: tf.Tensor): tf.Tensor => tf.mul(dy, tf.ones([1, 1, a.shape[2]]));
  return { value: tf.sum(a, 2, true), gradFunc };
}) as (a: tf.Tensor) => tf.Tensor;

/** σ(location + noise) for a location of [n, n] and noise of [count, n, n], which gets no gradient. */
function softEdges(location: tf.Tensor, noise: tf.Tensor3D): tf.Tensor3D {
  const sample = tf.customGrad((...args) => {
    const value = tf.sigmoid(tf.add(args[0] as tf.Tensor, noise));
    const samples = tf.keep(tf.reshape(value, value.shape)); // a second handle; save() would copy the values
    const gradFunc = (dy: tf.Tensor): tf.Tensor => {
      const gradient = tf.sum(tf.mul(dy, tf.sub(samples, tf.square(samples))), 0);
      samples.dispose();
      return gradient;
    };
    return { value, gradFunc };
  });
  return sample(location) as tf.Tensor3D;
}

// --- the inverse of the normal distribution function (Giles 2010, single precision) ---------------------------------

const GILES_CENTRE = [
  2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 2.1858087e-4, -1.25372503e-3, -4.17768164e-3,
  0.246640727, 1.50140941,
];
const GILES_TAIL = [
  -2.00214257e-4, 1.00950558e-4, 1.34934322e-3, -3.67342844e-3, 5.73950773e-3, -7.6224613e-3, 9.43887047e-3, 1.00167406,
  2.83297682,
];

function horner(coefficients: number[], x: tf.Tensor): tf.Tensor {
  return coefficients
    .slice(1)
    .reduce((sum: tf.Tensor, c) => tf.add(tf.mul(sum, x), c), tf.fill(x.shape, coefficients[0]!));
}

const inverseNormal = tf.customGrad((...args) => {
  const [p, save] = args as unknown as [tf.Tensor, tf.GradSaveFunc];
  const x = tf.sub(tf.mul(p, 2), 1);
  const w = tf.neg(tf.log(tf.mul(tf.mul(p, 4), tf.sub(1, p)))); // -log(1 - x²)
  const centre = horner(GILES_CENTRE, tf.sub(w, 2.5));
  const tail = horner(GILES_TAIL, tf.sub(tf.sqrt(w), 3));
  const value = tf.mul(tf.mul(tf.where(tf.less(w, 5), centre, tail), x), Math.SQRT2);
  save([value]);
  const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor =>
    tf.mul(dy, tf.mul(tf.exp(tf.mul(tf.square(saved[0]!), 0.5)), Math.sqrt(2 * Math.PI)));
  return { value, gradFunc };
}) as (p: tf.Tensor) => tf.Tensor;

// --- F³'s global model ----------------------------------------------------------------------------------------------

function parameter(shape: number[], low: number, high: number, random: Random): tf.Variable {
  const values = fillUniform(new Float32Array(shape.reduce((a, b) => a * b)), random);
  const scaled = values.map((u) => low + (high - low) * u);
  return tf.tidy(() => tf.variable(tf.tensor(scaled, shape)));
}

function labelsOneHot(count: number, classes: number, random: Random): Float32Array {
  const out = new Float32Array(count * classes);
  for (let i = 0; i < count; i++) out[i * classes + Math.floor(random.uniform() * classes)] = 1;
  return out;
}

/** One training step of F³ with soft alignment and a learned graph; embeddings lie owner-major, [owner, sample, d]. */
function stepJob(sampler: Sampler, perExample: boolean, p: Params): () => void {
  const { n, batch, d, h, classes } = p;
  const random = new Random(p.seed);
  const draw = (shape: number[], bound: number) => parameter(shape, -bound, bound, random);
  const alignment = draw([n, d, d], Math.sqrt(6 / (d * d + n * d)));
  const [w0, b0] = [draw([d, h], h ** -0.5), draw([h], h ** -0.5)];
  const [w1, b1] = [draw([h, classes], classes ** -0.5), draw([classes], classes ** -0.5)];
  const theta = parameter([n, n], 0, 1, random);
  const embeddings = tf.tensor3d(fillNormal(new Float32Array(n * batch * d), random), [n, batch, d]);
  const labels = tf.tensor2d(labelsOneHot(batch, classes, random), [batch, classes]);
  const identity = tf.eye(n);
  const lastOfRow = tf.tensor2d([...Array(h).fill(0), 1], [1, h + 1]);
  const above = tf.tensor2d(
    Float32Array.from({ length: n * n }, (_, k) => (k % n > Math.floor(k / n) ? 1 : 0)),
    [n, n],
  );
  const edges = (n * (n - 1)) / 2;
  const graphs = perExample ? batch : 1;
  const optimizer = tf.train.adam(0.01);

  /** Noise over τ, one draw an edge. For Gumbel g1 − g2 = log(log u2 / log u1); logarithms are cheapest in wasm. */
  const edgeNoise = (): Float32Array => {
    const draws = new Float32Array(graphs * edges);
    if (sampler === 'icdf') return fillNormal(draws, random);
    const first = tf.log(tf.tensor1d(fillUniform(draws, random)));
    const second = tf.log(tf.tensor1d(fillUniform(draws, random)));
    return tf.log(tf.div(second, first)).dataSync<'float32'>();
  };
  /** [graph, n, n], mirrored here because tf.gather takes ten times as long. */
  const noise = (): tf.Tensor3D => {
    const drawn = edgeNoise();
    const out = new Float32Array(graphs * n * n);
    for (let g = 0, k = 0; g < graphs; g++) {
      for (let i = 0; i < n; i++) {
        for (let j = i + 1; j < n; j++) {
          const value = drawn[k++]! / TEMPERATURE;
          out[(g * n + i) * n + j] = value;
          out[(g * n + j) * n + i] = value;
        }
      }
    }
    return tf.tensor3d(out, [graphs, n, n]);
  };
  /** Soft samples of A + I, [graph, n, n]: the sigmoid of a huge location makes the self loops. */
  const graph = (): tf.Tensor3D => {
    const upper = tf.mul(theta, above);
    const probability = tf.clipByValue(tf.add(upper, tf.transpose(upper)), THETA_LOW, 1 - THETA_LOW);
    const location =
      sampler === 'icdf' ? inverseNormal(probability) : tf.log(tf.div(probability, tf.sub(1, probability)));
    const selfLoops = tf.add(tf.mul(location, tf.div(tf.sub(1, identity), TEMPERATURE)), tf.mul(identity, 1e4));
    return softEdges(selfLoops, noise());
  };
  /** [owner, sample, h]: (H_i P_i) W0 = H_i (P_i W0), the bracket on the right being smaller. */
  const features = (weight: tf.Tensor): tf.Tensor3D => {
    const weights = tf.reshape(product(tf.reshape(alignment, [n * d, d]), weight), [n, d, weight.shape[1]!]);
    return tf.matMul(embeddings, weights) as tf.Tensor3D;
  };
  const logitsOneGraph = (): tf.Tensor => {
    const a = tf.reshape(graph(), [n, n]);
    const scale = tf.rsqrt(tf.sum(a, 1, true));
    const normalised = tf.add(tf.mul(tf.mul(a, scale), tf.transpose(scale)), identity);
    const x = tf.reshape(features(w0), [n, batch * h]);
    const mixed = tf.reshape(product(normalised, x), [n, batch, h]);
    const hidden = tf.reshape(tf.relu(tf.add(mixed, b0)), [n, batch * h]);
    const pooled = tf.reshape(product(tf.sum(normalised, 0, true), hidden), [batch, h]);
    return tf.add(product(tf.div(pooled, n), w1), b1);
  };
  // A last column of ones beside the features becomes the pooling weights, from the same product. It rides through
  // relu, being positive, and meets a row of zeros in W1: cutting columns off, or joining them, costs more.
  const logitsEachGraph = (): tf.Tensor => {
    const a = graph();
    const scale = tf.rsqrt(rowSums(a));
    const x = tf.transpose(tf.add(features(tf.concat([w0, tf.zeros([d, 1])], 1)), lastOfRow), [1, 0, 2]);
    const mixed = tf.mul(symmetricProduct(a, tf.mul(x, scale)), scale);
    const hidden = tf.relu(tf.add(tf.add(mixed, x), tf.concat([b0, tf.zeros([1])])));
    const weight = tf.reshape(product(tf.reshape(hidden, [batch * n, h + 1]), tf.transpose(lastOfRow)), [batch, n, 1]);
    const pooled = tf.sum(tf.mul(hidden, weight), 1);
    return tf.add(product(tf.div(pooled, n), tf.concat([w1, tf.zeros([1, classes])], 0)), b1);
  };
  const logits = perExample ? logitsEachGraph : logitsOneGraph;
  const learned = [alignment, w0, b0, w1, b1, theta];
  const loss = () => tf.losses.softmaxCrossEntropy(labels, logits()) as tf.Scalar;
  return () => void optimizer.minimize(loss, false, learned);
}

// --- pre-training of one owner, and the bare product ----------------------------------------------------------------

/** One epoch: LSTM, learned weighted sum over time, linear head. */
function lstmEpoch(p: Params): () => void {
  const { batch, classes, steps, hidden } = p;
  const random = new Random(p.seed);
  const draw = (shape: number[], fan: number) => parameter(shape, -(fan ** -0.5), fan ** -0.5, random);
  const [wx, wh] = [draw([1, 4 * hidden], hidden), draw([hidden, 4 * hidden], hidden)];
  const [bx, bh] = [draw([1, 4 * hidden], hidden), draw([1, 4 * hidden], hidden)];
  const [timeWeight, timeBias] = [draw([1, steps], steps), draw([1], steps)];
  const [headWeight, headBias] = [draw([hidden, classes], hidden), draw([classes], hidden)];
  const windows = fillUniform(new Float32Array(TRAIN_SAMPLES * steps), random).map((u) => 70 * u);
  const labels = labelsOneHot(TRAIN_SAMPLES, classes, random);
  const learned = [wx, wh, bx, bh, timeWeight, timeBias, headWeight, headBias];
  const optimizer = tf.train.adam(1e-3);
  const order = Int32Array.from({ length: TRAIN_SAMPLES }, (_, i) => i);

  const shuffle = (): void => {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random.uniform() * (i + 1));
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
  };
  const logits = (chosen: Int32Array): tf.Tensor => {
    const size = chosen.length;
    // One matrix for [x, 1, h] keeps a step at one product.
    const weights = tf.concat([wx, tf.add(bx, bh), wh], 0);
    let state: tf.Tensor = tf.zeros([size, hidden]);
    let cell: tf.Tensor = tf.zeros([size, hidden]);
    const states: tf.Tensor[] = [];
    for (let t = 0; t < steps; t++) {
      const input = new Float32Array(2 * size).fill(1);
      for (let i = 0; i < size; i++) input[2 * i] = windows[chosen[i]! * steps + t]!;
      const gates = product(tf.concat([tf.tensor2d(input, [size, 2]), state], 1), weights);
      const [i, f, g, o] = tf.split(gates, 4, 1) as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
      cell = tf.add(tf.mul(tf.sigmoid(f), cell), tf.mul(tf.sigmoid(i), tf.tanh(g)));
      state = tf.mul(tf.sigmoid(o), tf.tanh(cell));
      states.push(tf.reshape(state, [1, size * hidden]));
    }
    const embedding = tf.add(tf.reshape(product(timeWeight, tf.concat(states, 0)), [size, hidden]), timeBias);
    return tf.add(product(embedding, headWeight), headBias);
  };
  const step = (chosen: Int32Array): void => {
    const target = new Float32Array(chosen.length * classes);
    chosen.forEach((sample, i) => {
      target.set(labels.subarray(sample * classes, (sample + 1) * classes), i * classes);
    });
    const oneHot = tf.tensor2d(target, [chosen.length, classes]);
    optimizer.minimize(() => tf.losses.softmaxCrossEntropy(oneHot, logits(chosen)) as tf.Scalar, false, learned);
  };
  return () => {
    shuffle();
    for (let i = 0; i < order.length; i += batch) tf.tidy(() => step(order.subarray(i, i + batch)));
  };
}

function matmul(p: Params): () => void {
  const random = new Random(p.seed);
  const [n, columns] = [p.n, p.batch * p.h];
  const left = tf.tensor2d(fillNormal(new Float32Array(n * n), random), [n, n]);
  const values = fillNormal(new Float32Array(n * columns), random);
  // XNNPACK packs the right matrix once a tensor; training meets a new one at every step, so a new tensor here too.
  return () => void tf.matMul(left, tf.tensor2d(values, [n, columns]));
}

/** Each prepares a job and returns what is timed. */
const JOBS: Record<string, (p: Params) => () => void> = {
  'step-icdf-batch': (p) => stepJob('icdf', false, p),
  'step-icdf-example': (p) => stepJob('icdf', true, p),
  'step-gumbel-batch': (p) => stepJob('gumbel', false, p),
  'step-gumbel-example': (p) => stepJob('gumbel', true, p),
  'lstm-epoch': lstmEpoch,
  matmul,
};

// --- protocol -------------------------------------------------------------------------------------------------------

const ready = new Map<string, () => void>();

function prepared(job: string, params: Partial<Params>): () => void {
  const prepare = JOBS[job];
  if (!prepare) throw new Error(`job must be one of ${Object.keys(JOBS).join(', ')}, got ${job}`);
  const key = JSON.stringify([job, params]);
  let run = ready.get(key);
  if (!run) {
    run = prepare({ ...DEFAULTS, ...params });
    for (let i = 0; i < 3; i++) tf.tidy(run);
    ready.set(key, run);
  }
  return run;
}

function timed(run: () => void): number {
  const start = performance.now();
  tf.tidy(run);
  return performance.now() - start;
}

function answer(line: string): object | undefined {
  try {
    const request = JSON.parse(line);
    if (request.quit) return undefined;
    const run = prepared(request.job, request.params ?? {});
    return { ms: Array.from({ length: request.repeat ?? 1 }, () => timed(run)) };
  } catch (error) {
    return { error: String(error) };
  }
}

const say = (message: object): void => console.log(JSON.stringify(message));

// The published bundles of tfjs-core leave gradients out; the files that hold them import without the extensions Node
// asks for. They find the same engine and registry by way of globalThis.
const extensions = registerHooks({
  resolve(specifier, context, next) {
    const bare = specifier.startsWith('.') && context.parentURL?.includes('/tfjs-core/dist/');
    return next(bare && !specifier.endsWith('.js') ? `${specifier}.js` : specifier, context);
  },
});
await import('@tensorflow/tfjs-core/dist/register_all_gradients.js');
extensions.deregister();

setWasmPaths(`${dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'))}/`);
await tf.setBackend('wasm');
const simd = (await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')) ? 'SIMD' : 'scalar';
say({ peer: 'tfjs', version: tf.version_core, threads: getThreadsCount(), blas: `XNNPACK wasm ${simd}` });
for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const reply = answer(line);
  if (!reply) break;
  say(reply);
}
