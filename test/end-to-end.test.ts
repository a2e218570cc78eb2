// Experiments, rows L and M: gradients reach the owners' models, and what would cross the wire is counted.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../src/core/engine/engine.ts';
import { softmaxCrossEntropy } from '../src/core/ops/softmax-cross-entropy.ts';
import { paperOwnerPreset } from '../src/embed/owner-preset.ts';
import { trainOwner } from '../src/embed/train-owner.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { makeFusionModel } from '../src/fuse/model/make-fusion-model.ts';
import { ownerBatch } from '../src/fuse/training/owner-batch.ts';
import { loadFederation } from '../src/reproduce/tables/load-federation.ts';
import { type EndToEndOwner, liveEmbeddings, trainEndToEnd } from '../src/reproduce/tables/train-end-to-end.ts';
import { WireTraffic } from '../src/reproduce/tables/wire-traffic.ts';
import { TOY_OWNERS, toyDataset } from './support/toy-dataset.ts';

const engine = new Engine({ threads: 2 });
const parent = mkdtempSync(join(tmpdir(), 'f3-test-'));
const quick: FusionConfig = { ...paperPreset, epochs: 4, batch: 36 };
const STEP = 1e-3;
let toy = '';

beforeAll(async () => {
  toy = await toyDataset(parent);
  for (const id of TOY_OWNERS) {
    await trainOwner(engine, join(toy, 'owners', id), { ...paperOwnerPreset, epochs: 3 });
  }
});
afterAll(async () => {
  await engine.dispose();
  rmSync(parent, { recursive: true, force: true });
});

const isHead = (name: string) => name.startsWith('head.');
const body = ({ model }: EndToEndOwner) =>
  Object.entries(model.parameters).flatMap(([name, tensor]) => (isHead(name) ? [] : [tensor]));
const copy = (owners: readonly EndToEndOwner[]) =>
  owners.map(({ model }) =>
    Object.fromEntries(Object.entries(model.parameters).map(([name, { data }]) => [name, data.slice()])),
  );

describe('end-to-end training', () => {
  it.each(['pre-trained', 'scratch'] as const)('lowers the loss from %s, heads untouched', async (start) => {
    const { owners, labels, split } = await loadFederation(engine, toy, { start, seed: 1 });
    const before = copy(owners);
    const { history } = await trainEndToEnd(engine, owners, labels, split, { ...quick, epochs: 15 });
    const after = copy(owners);
    expect(history[14].trainLoss).toBeLessThan(0.8 * history[0].trainLoss);
    for (const [o, weights] of before.entries()) {
      for (const [name, values] of Object.entries(weights)) {
        expect(Buffer.from(after[o][name].buffer).equals(Buffer.from(values.buffer)), name).toBe(isHead(name));
      }
    }
  });

  it("has the derivative of the loss by every weight of the owners' models", async () => {
    const { owners, labels, split } = await loadFederation(engine, toy, { start: 'pre-trained', seed: 1 });
    const model = makeFusionModel(engine, quick, { owners: owners.length, width: 16, classes: 2 });
    const data = liveEmbeddings(engine, owners);
    const samples = split.train.subarray(0, 20);
    const truth = Int32Array.from(samples, (sample) => labels.labels[sample]);
    const tape = engine.tape();
    const forward = () => {
      tape.reset();
      const { logits } = model.forward(tape, ownerBatch(tape, data, samples), { seed: 1, step: 0 });
      return softmaxCrossEntropy(tape, logits, truth);
    };
    tape.backward(forward());
    for (const [o, owner] of owners.entries()) {
      for (const tensor of body(owner)) {
        const gradient = tensor.gradient.slice();
        const norm = Math.hypot(...gradient);
        expect(norm).toBeGreaterThan(1e-4);
        const kept = tensor.data.slice();
        // Small, so that few units of ReLU change sides. Along the gradient, the loss rises by its norm.
        const rise = [1, -1].map((sign) => {
          tensor.data.set(kept.map((value, i) => value + (sign * STEP * gradient[i]) / norm));
          return forward().item();
        });
        tensor.data.set(kept);
        const slope = (rise[0] - rise[1]) / (2 * STEP);
        expect(Math.abs(slope / norm - 1), `owner ${o}, [${tensor.shape}]: ${slope} for ${norm}`).toBeLessThan(0.02);
      }
    }
    tape.dispose();
    model.dispose();
  });

  it('teaches an owner nothing from samples it did not see', async () => {
    const { owners, labels, split } = await loadFederation(engine, toy, { start: 'pre-trained', seed: 1 });
    const before = copy(owners);
    const unseen = split.train.filter((sample) => owners[1].rows[sample] < 0);
    expect(unseen.length).toBe(36);
    const { traffic } = await trainEndToEnd(engine, owners, labels, { ...split, train: unseen }, quick);
    const after = copy(owners);
    expect(after[1]).toEqual(before[1]);
    expect(after[0]).not.toEqual(before[0]);
    expect(traffic.gradients.messages).toBe(4 * 2);
  });

  it('gives the same bits on one thread and on three', async () => {
    const results = await Promise.all(
      [1, 3].map(async (threads) => {
        const own = new Engine({ threads });
        const { owners, labels, split } = await loadFederation(own, toy, { start: 'pre-trained', seed: 1 });
        const config = { ...quick, ownerDropout: 0.2 };
        const { seconds: _, ...training } = await trainEndToEnd(own, owners, labels, split, config);
        const weights = copy(owners);
        await own.dispose();
        return { training, weights };
      }),
    );
    expect(results[1]).toEqual(results[0]);
  });

  it("keeps the owners' weights of the best epoch", async () => {
    const { owners, labels, split } = await loadFederation(engine, toy, { start: 'scratch', seed: 2 });
    const kept: ReturnType<typeof copy>[] = [];
    const config = { ...quick, learningRate: 0.2, epochs: 40, patience: 3 };
    const { epochs, bestEpoch } = await trainEndToEnd(engine, owners, labels, split, config, {
      localLearningRate: 0.2,
      onEpoch: () => kept.push(copy(owners)),
    });
    expect(epochs - bestEpoch).toBe(3);
    expect(copy(owners)).toEqual(kept[bestEpoch - 1]);
  });

  it('leaves local weights alone at a local learning rate of zero', async () => {
    const { owners, labels, split } = await loadFederation(engine, toy, { start: 'pre-trained', seed: 1 });
    const before = copy(owners);
    await trainEndToEnd(engine, owners, labels, split, quick, { localLearningRate: 0 });
    expect(copy(owners)).toEqual(before);
  });

  it('counts two messages per owner and step, and the bytes of what each owner saw', async () => {
    const { owners, labels, split } = await loadFederation(engine, toy, { start: 'scratch', seed: 1 });
    const config = { ...quick, epochs: 2 };
    const { traffic, oneUpload } = await trainEndToEnd(engine, owners, labels, split, config);
    // 72 samples train, 24 validate, 24 test; two owners saw all, one every second. 16 numbers of 4 bytes each.
    const steps = 2 * (72 / 36);
    const trained = { messages: 3 * steps, bytes: 2 * (72 + 72 + 36) * 64 };
    const evaluated = { messages: 3 * (2 + 1), bytes: 3 * (24 + 24 + 12) * 64 };
    expect(traffic).toEqual({
      embeddings: trained,
      gradients: trained,
      evaluation: evaluated,
      total: {
        messages: 2 * trained.messages + evaluated.messages,
        bytes: 2 * trained.bytes + evaluated.bytes,
      },
    });
    expect(oneUpload).toEqual({ messages: 3, bytes: (120 + 120 + 60) * 64 });
  });
});

describe('traffic', () => {
  it('has no message from an owner that saw none of the samples', () => {
    const senders = [
      { width: 2, rows: Int32Array.of(0, 1, 2) },
      { width: 3, rows: Int32Array.of(-1, -1, 0) },
    ];
    const traffic = new WireTraffic(senders);
    traffic.step(Uint32Array.of(0, 1));
    traffic.evaluate(Uint32Array.of(2));
    expect(traffic.gradients).toEqual({ messages: 1, bytes: 2 * 2 * 4 });
    expect(traffic.total).toEqual({ messages: 4, bytes: 2 * 16 + 8 + 12 });
    expect(traffic.oneUpload).toEqual({ messages: 2, bytes: 24 + 12 });
  });
});

describe('the program', () => {
  const main = fileURLToPath(new URL('../experiments/end-to-end.ts', import.meta.url));
  const run = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });

  it('prints one line of JSON, and progress on stderr', () => {
    const { status, stdout, stderr } = run('--data', toy, '--start', 'pre-trained', '--epochs', '2', '--json');
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(result).toMatchObject({ data: 'toy', start: 'pre-trained', epochs: 2, owners: 3, samples: 120 });
    expect(result.traffic.total.messages).toBe(2 * 3 * 2 + 3 * 3);
    expect(result.test.auc).toBeGreaterThan(0);
    expect(stderr).toContain('reading');
  });

  it('says in one line what is wrong', () => {
    const { status, stdout, stderr } = run('--data', join(parent, 'none'), '--start', 'scratch');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('F3_DATA_UNREADABLE');
    expect(run('--data', toy, '--start', 'middle').status).toBe(2);
  });
});
