// `f3 model show`, mostly in its own process: text, JSON, figures, refusals.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelText } from '../../src/cli/model/model-text.ts';
import { Engine } from '../../src/core/engine/engine.ts';
import { type FusionConfig, paperPreset } from '../../src/fuse/fusion-config.ts';
import type { FusedFacts, VotingModel } from '../../src/fuse/model/fused-model.ts';
import { inspectModel } from '../../src/fuse/model/inspect-model.ts';
import { makeFusionModel } from '../../src/fuse/model/make-fusion-model.ts';
import { saveFusedModel } from '../../src/fuse/model/model-folder.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runF3 } from './run-f3.ts';

const OWNERS = ['north', 'east', 'south', 'west'];
const WIDTH = 3;
const SCORES = { accuracy: 0.9, f1: 0.8, auc: 0.95, prAuc: 0.85, loss: 0.25 };

function factsOf(config: FusionConfig): FusedFacts {
  return {
    config,
    classes: ['calm', 'rush'],
    owners: OWNERS.map((owner, i) => ({ owner, width: WIDTH, bundle: `${i}`.repeat(64), rows: 12, joined: 10 })),
    samples: { train: 7, validation: 1, test: 2 },
    epochs: 3,
    bestEpoch: 2,
    seconds: 1.25,
    validation: SCORES,
    test: { ...SCORES, auc: Number.NaN },
    history: [0.7, 0.4, 0.5].map((loss, i) => ({ epoch: i + 1, trainLoss: loss, validationLoss: loss + 0.1 })),
  };
}

/** A model with known edges, and as hard alignment the identity for north, something vague for the others. */
async function savedModel(change: Partial<FusionConfig>): Promise<{ dir: string; parent: string }> {
  const parent = temporaryDirectory();
  const dir = join(parent, 'model');
  const config = { ...paperPreset, ...change };
  const engine = new Engine({ threads: 1 });
  const adjacency = Float32Array.from({ length: 16 }, (_, at) => (at === 1 || at === 4 ? 1 : 0));
  const network = makeFusionModel(engine, config, { owners: OWNERS.length, width: WIDTH, classes: 2, adjacency });
  network.parameters.theta?.data.set([0, 0.875, 0.5, 0.5, 0, 0, 0.25, 1.5, 0, 0, 0, -1, 0, 0, 0, 0]);
  if (config.alignment === 'hard') network.parameters.P.data.fill(1).set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  saveFusedModel(
    dir,
    { kind: 'learned', facts: factsOf(config), network },
    { created: new Date('2026-05-01T12:00:00Z') },
  );
  await engine.dispose();
  return { dir, parent };
}

function savedVotes(rule: VotingModel['rule']): string {
  const dir = join(temporaryDirectory(), 'votes');
  const facts = factsOf({ ...paperPreset, method: rule.method });
  saveFusedModel(dir, { kind: 'voting', facts: { ...facts, epochs: 0, bestEpoch: 0, history: [] }, rule });
  return dir;
}

/** Without the program around it, which takes longer to start than to tell. */
const textOf = async (dir: string) => modelText(dir, await inspectModel(dir), { edges: 10, all: false });

describe('text', () => {
  test('tells what the model is, how it was trained, its scores and its edges', async () => {
    const { dir } = await savedModel({});
    const { status, stdout, stderr } = runF3('model', 'show', dir, '--edges', '2');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const line of [
      'graph      learned by ICDF (normal, τ 0.1), one graph per example; 10 averaged at prediction',
      'owners     4, width 3, 10 samples each',
      'trained    3 epochs of at most 500, the best was 2, 1.3 s',
      'made       2026-05-01 12:00 UTC by f3',
      'test          0.900    0.800        –    0.850    0.250',
      'validation  █▁▃  0.800 → 0.600, best 0.500 (epoch 2)',
      'north  3      10       000000000000',
      'edge probabilities of 6 pairs, mean 0.521',
      '0.5–0.6  ████████████████████████████████████████ 2',
      'strongest\n  east – west   0.9999\n  north – east  0.8750\n',
      'weakest: south – west 0.0001; 16.7 % of pairs below 0.01',
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).not.toContain('Sinkhorn');
  });

  test('shows the owners asked for and their edges only', async () => {
    const { dir } = await savedModel({});
    const { stdout } = runF3('model', 'show', dir, '--owner', 'south');
    expect(stdout).toContain('edge probabilities of 3 pairs with one of these owners');
    expect(stdout).not.toContain('east – west');
  });

  test('says how near a hard alignment is to a permutation', async () => {
    const { dir } = await savedModel({ alignment: 'hard', graph: 'none' });
    const { stdout } = runF3('model', 'show', dir);
    expect(stdout).toContain('hard: nearly a permutation (square, 10 Sinkhorn–Knopp sweeps, entropy weight 0.01)');
    expect(stdout).toMatch(/north +3 +10 +0{12} +1\.000\n/);
    expect(stdout).toMatch(/east +3 +10 +1{12} +0\.333 \(rounds to no permutation\)\n/);
    expect(stdout).toContain('mean row maximum 0.500, lowest 0.333; 1 is a permutation');
  });

  test.each([
    [{ graph: 'given' }, 'given edges: 1 of 6 pairs\n  north – east'],
    [{ graph: 'knn', neighbours: 2 }, 'graph      2 nearest neighbours, found anew for every batch\n'],
    [{ alignment: 'none', graph: 'none' }, 'method     consensus (mean pooling), hidden width 8\n'],
    [{ method: 'transformer' }, 'method   transformer: attention over owners\n'],
    [{ method: 'concatenation', ownerDropout: 0.2 }, 'dropout  20 % of owners in training\n'],
  ] as const)('fits the model %o', async (change, expected) => {
    const text = await textOf((await savedModel(change)).dir);
    expect(text).toContain(expected);
    expect(text).not.toContain('probabilities of');
  });

  test.each([
    [{ method: 'majority' }, 'majority: what most owners vote for'],
    [{ method: 'threshold', threshold: 0.25 }, 'threshold: rush if more than 25 % of the votes say so'],
    [{ method: 'best', order: [2, 0, 1, 3] }, 'present: south, then north, east, west\n'],
    [{ method: 'average' }, 'scores are means over owners'],
  ] as const)('tells the rule of votes %o and nothing about training', async (rule, expected) => {
    const { order, ...rest } = { order: undefined, ...rule };
    const text = await textOf(savedVotes({ ...rest, ...(order && { order: [...order] }) }));
    expect(text).toContain(expected);
    expect(text).not.toMatch(/epoch|learning rate|edge/);
  });
});

test('--json prints the card with edges, histogram and alignments as one line', async () => {
  const { dir } = await savedModel({ alignment: 'hard' });
  const { stdout } = runF3('model', 'show', dir, '--edges', '1', '--json');
  expect(stdout.trimEnd()).not.toContain('\n');
  const { edges, histogram, alignments, ...card } = JSON.parse(stdout);
  expect(card).toEqual(JSON.parse(readFileSync(join(dir, 'model.json'), 'utf8')));
  expect(edges).toEqual([{ owners: ['east', 'west'], probability: expect.closeTo(0.9999) }]);
  expect(histogram).toHaveLength(20);
  expect(histogram.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(6);
  expect(alignments[0]).toEqual({ owner: 'north', meanRowMaximum: expect.closeTo(1), roundsToPermutation: true });
});

describe('figures', () => {
  test.each([
    [{}, ['alignment.svg', 'edge-histogram.svg', 'edges.svg', 'training-curve.svg']],
    [{ alignment: 'hard' }, ['alignment.svg', 'edge-histogram.svg', 'edges.svg', 'training-curve.svg']],
    [{ graph: 'given', alignment: 'none' }, ['edges.svg', 'training-curve.svg']],
    [{ method: 'transformer' }, ['training-curve.svg']],
  ] as const)('of %o are those the model has, on white, with system fonts', async (change, expected) => {
    const { dir, parent } = await savedModel(change);
    const out = join(parent, 'new', 'figures');
    const { status, stderr } = runF3('model', 'show', dir, '--figures', out, '--owner', 'west', 'north');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(out).sort()).toEqual(expected);
    for (const name of expected) {
      const svg = readFileSync(join(out, name), 'utf8');
      for (const part of ['<svg', 'fill="white"', 'system-ui', '</svg>']) expect(svg).toContain(part);
      expect(svg).not.toMatch(/NaN|undefined/);
    }
    if ((expected as readonly string[]).includes('alignment.svg')) {
      const svg = readFileSync(join(out, 'alignment.svg'), 'utf8');
      expect(svg).toMatch(/>west[,<]/);
      expect(svg).not.toMatch(/>east[,<]/);
    }
  });

  test('of votes are none, and no folder is made', () => {
    const dir = savedVotes({ method: 'majority' });
    const out = join(dir, 'figures');
    expect(runF3('model', 'show', dir, '--figures', out).stdout).toContain('none: this model has nothing to draw');
    expect(existsSync(out)).toBe(false);
  });

  test('into a place that cannot be written are refused and leave nothing behind', async () => {
    const { dir, parent } = await savedModel({});
    const file = join(parent, 'file');
    writeFileSync(file, '');
    const { status, stdout, stderr } = runF3('model', 'show', dir, '--figures', join(file, 'figures'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(
      `f3: output ${join(file, 'figures')}: must be writable, got a path through a file [F3_MODEL_UNWRITABLE]\n`,
    );
    expect(readdirSync(parent).sort()).toEqual(['file', 'model']);
  });
});

describe('refuses in one line', () => {
  const refusal = (...args: string[]) => {
    const { status, stdout, stderr } = runF3('model', 'show', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.trimEnd()).not.toContain('\n');
    return stderr;
  };

  test('a folder that is not there', () => {
    expect(refusal('/nowhere')).toContain('got no such file [F3_MODEL_FORMAT]');
  });

  test('truncated weights', async () => {
    const { dir } = await savedModel({});
    const file = join(dir, 'model.safetensors');
    writeFileSync(file, readFileSync(file).subarray(0, -4));
    expect(refusal(dir)).toMatch(/SHA-256 must be the card's [0-9a-f]{64}, got [0-9a-f]{64} \[F3_MODEL_FORMAT\]/);
  });

  test('a broken card, and one that lacks a part', async () => {
    const { dir } = await savedModel({});
    const file = join(dir, 'model.json');
    const { config: _, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(rest));
    expect(refusal(dir)).toContain('must have config, got none [F3_MODEL_FORMAT]');
    writeFileSync(file, '{"format": ');
    expect(refusal(dir)).toContain('must be f3-fused-model 1, got no JSON object [F3_MODEL_FORMAT]');
  });

  test('an owner the model does not know', async () => {
    const { dir } = await savedModel({});
    expect(refusal(dir, '--owner', 'north', 'up')).toContain('must be an owner of model');
  });
});
