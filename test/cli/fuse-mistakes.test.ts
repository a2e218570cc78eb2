// More mistakes with the coordinator's commands: options that contradict each other, outputs in the way, broken checkpoints.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundles } from '../support/toy-bundles.ts';
import { runF3 } from './run-f3.ts';

const parent = suiteDirectory();
const { inputs, bundles, labels } = toyBundles(parent);
const model = join(parent, 'model');
const fuse = ['fuse', ...inputs, '--epochs', '2', '--hidden', '4', '--threads', '1'];
const refit = ['fuse', ...inputs, '--refit', 'owner-1', '--model', model];
const file = (name: string, text: string) => {
  writeFileSync(join(parent, name), text);
  return join(parent, name);
};

beforeAll(() => {
  expect(runF3(...fuse, '--out', model).status).toBe(0);
  file('in-the-way.checkpoint', 'mine');
  mkdirSync(join(parent, 'cut.checkpoint'));
  const weights = readFileSync(join(model, 'model.safetensors'));
  writeFileSync(join(parent, 'cut.checkpoint', 'learning-rate-0.003.safetensors'), weights.subarray(0, 100));
});

describe('one line, one code, nothing written', () => {
  it.each([
    ['a refit to another model', 'F3_OPTION', () => [...refit, '--graph-samples', '3'], 'got --graph-samples'],
    ['a refit to another method', 'F3_OPTION', () => [...refit, '--no-skip'], 'got --no-skip'],
    ['a refit from another preset', 'F3_OPTION', () => [...refit, '--preset', 'recommended'], 'got --preset'],
    ['a refit at two learning rates', 'F3_OPTION', () => [...refit, '--lr', 'auto'], 'got --lr auto'],
    ['an option that does nothing', 'F3_OPTION', () => [...fuse, '--sweeps', '3'], 'is for --alignment hard only'],
    ['an output without a name', 'F3_OPTION', () => [...fuse, '--out', ''], '--out: must be a name'],
    [
      'a negative weight in a matrix',
      'F3_FUSE_GRAPH',
      () => [
        ...fuse,
        '--graph',
        'given',
        '--adjacency',
        file('matrix.csv', `owner-0,owner-1,owner-2,owner-3,owner-4\n${'0,0,0,-2,0\n'.repeat(5)}`),
      ],
      'weights must be finite in float32 and at least 0, got -2 in row 1, column 4',
    ],
    [
      'an edge without its weight',
      'F3_FUSE_GRAPH',
      () => [...fuse, '--graph', 'given', '--adjacency', file('edges.csv', 'from,to,weight\nowner-0,owner-1,\n')],
      'line 2 must be two owners of the bundles and a weight, finite in float32 and at least 0',
    ],
    [
      'a failure under folders that are new',
      'F3_FUSE_GRAPH',
      () => [...fuse, '--out', join(parent, 'new', 'folders', 'm'), '--graph', 'knn', '--k', '5'],
      'neighbours: must be below the number of owners 5, got 5; --k sets them',
    ],
    [
      'a file to replace',
      'F3_MODEL_EXISTS',
      () => [...fuse, '--out', labels, '--force'],
      'only a model or an empty directory is replaced, got a file [F3_MODEL_EXISTS]',
    ],
    [
      'a file where the checkpoint goes',
      'F3_CHECKPOINT',
      () => [...fuse, '--out', join(parent, 'in-the-way')],
      'must be a folder or not exist, got a file',
    ],
    [
      'a truncated checkpoint',
      'F3_CHECKPOINT',
      () => [...fuse, '--out', join(parent, 'cut'), '--resume'],
      'must be whole; remove it to start anew',
    ],
    [
      'nobody left to predict with',
      'F3_FUSE_OWNER',
      () => ['predict', '--model', model, '--bundles', join(bundles, 'owner-0.arrow'), '--without', 'owner-0'],
      'without: must leave a bundle, got every owner left out; --without names those left out',
    ],
  ])('%s', (_, code, command, message) => {
    const args = command();
    const before = readdirSync(parent, { recursive: true }).sort();
    const { status, stdout, stderr } = runF3(...args);
    const last = stderr.trimEnd().split('\n').at(-1);
    expect(last).toMatch(new RegExp(`^f3: .* \\[${code}\\]$`));
    expect(last).toContain(message);
    expect([status, stdout]).toEqual([2, '']);
    expect(readdirSync(parent, { recursive: true }).sort()).toEqual(before);
  });
});

it('evaluate draws models of one name in two folders as two lines', () => {
  const copy = join(parent, 'elsewhere', 'model');
  cpSync(model, copy, { recursive: true });
  const figure = join(parent, 'absence.svg');
  const choices = ['--shares', '0,0.4', '--repeats', '1', '--figure', figure];
  expect(runF3('evaluate', '--model', model, copy, ...inputs, ...choices).status).toBe(0);
  const svg = readFileSync(figure, 'utf8');
  for (const path of [model, copy]) expect(svg).toContain(`${path} (owner dropout 0.5)`);
});
