import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { CheckpointFolder } from './checkpoint-folder.ts';
import type { TrainingState } from './training-state.ts';

const state: TrainingState = {
  epoch: 2,
  batch: 1,
  step: 5,
  lossSum: 0.5,
  best: { epoch: 1, loss: 0.7 },
  history: [],
  weights: { W0: Float32Array.of(1, 2) },
  bestWeights: { W0: Float32Array.of(1, 1) },
  optimizer: { steps: 5, arrays: { m0: Float32Array.of(0.1, 0.2) } },
};
const about = { about: 'a', resume: false };

test('what was saved comes back, and clearing leaves no folder', () => {
  const dir = join(temporaryDirectory(), 'model.checkpoint');
  const folder = new CheckpointFolder(dir, about);
  folder.save(0.01, state);
  expect(new CheckpointFolder(dir, { ...about, resume: true }).load(0.01)).toEqual(state);
  folder.clear();
  expect(existsSync(dir)).toBe(false);
});

test('removes nothing that it did not write', () => {
  const dir = join(temporaryDirectory(), 'model.checkpoint');
  mkdirSync(dir);
  writeFileSync(join(dir, 'notes.txt'), 'mine');
  const folder = new CheckpointFolder(dir, about);
  folder.save(0.01, state);
  folder.clear();
  expect(readdirSync(dir)).toEqual(['notes.txt']);
});

test('says so when something is in its place', () => {
  const parent = temporaryDirectory();
  const file = join(parent, 'file');
  writeFileSync(file, 'mine');
  const found = (code: string) => expect.objectContaining({ code });
  expect(() => new CheckpointFolder(file, about)).toThrow(found('F3_CHECKPOINT'));
  expect(readdirSync(parent)).toEqual(['file']);
  const dir = join(parent, 'model.checkpoint');
  mkdirSync(join(dir, 'learning-rate-0.01.safetensors'), { recursive: true });
  const folder = new CheckpointFolder(dir, { ...about, resume: true });
  expect(() => folder.load(0.01)).toThrow(found('F3_CHECKPOINT'));
  expect(() => folder.save(0.01, state)).toThrow(found('F3_MODEL_UNWRITABLE'));
});
