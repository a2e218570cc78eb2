// The owner's commands as a person types them: train, interrupt, go on, embed, look at the bundles.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeDataset } from '../../src/data/dataset/dataset-writer.ts';
import { decodeBundle } from '../../src/exchange/bundle/bundle.ts';
import expected from '../fixtures/onnx/expected.json' with { type: 'json' };
import { expectClose } from '../support/check-op.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { TOY_OWNERS, toyDataset } from '../support/toy-dataset.ts';
import { MAIN, runF3 } from './run-f3.ts';

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/onnx', name);
const quick = ['--width', '4', '--epochs', '3', '--batch', '16'];
const cards = (dir: string) => TOY_OWNERS.filter((id) => existsSync(join(dir, 'owners', id, 'model.json')));

describe('f3 owner', () => {
  it('trains all, embeds all and shows how they disagree', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const trained = runF3('owner', 'train', dir, '--all', ...quick, '--json');
    expect(trained.status).toBe(0);
    expect(JSON.parse(trained.stdout)).toMatchObject({ owners: 3, epochs: 9 });

    const out = join(dir, 'bundles');
    const embedded = runF3('owner', 'embed', dir, '--all', '--out', out, '--json');
    expect(embedded.status).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['east.arrow', 'north.arrow', 'south.arrow']);
    expect(JSON.parse(embedded.stdout).bundles).toHaveLength(3);
    expect(runF3('bundle', 'check', join(out, 'east.arrow')).status).toBe(0);

    const figure = join(dir, 'entropy.svg');
    const entropy = runF3('bundle', 'entropy', out, '--out', figure, '--json');
    const { samples, owners, histogram } = JSON.parse(entropy.stdout);
    expect([samples, owners, histogram.length]).toEqual([120, 3, 20]);
    expect(readFileSync(figure, 'utf8')).toMatch(/^<svg /);
  });

  it('takes what we advise, or the paper’s LSTM and inputs as they are, unless told otherwise', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const choices = (...args: string[]) => {
      expect(runF3('owner', 'train', dir, '--owner', 'north', ...quick, ...args).status).toBe(0);
      const { options } = JSON.parse(readFileSync(join(dir, 'owners/north/model.json'), 'utf8'));
      return [options.model, options.normalisation];
    };
    expect(choices()).toEqual(['gru', 'z-score']);
    expect(choices('--preset', 'paper')).toEqual(['lstm', 'none']);
    expect(choices('--normalise', 'none')).toEqual(['gru', 'none']);
    expect(choices('--preset', 'recommended', '--model', 'dense')).toEqual(['dense', 'z-score']);
  });

  it('refuses to send an embedding where the preset sends answers', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const args = ['owner', 'train', dir, '--owner', 'north', ...quick, '--preset', 'private'];
    for (const [flag, value] of [
      ['--bottleneck', '2'],
      ['--shield', '0.3'],
    ]) {
      const stderr = expect.stringContaining(`f3: ${flag}: must not go with --preset private, by which answers leave`);
      expect(runF3(...args, flag, value)).toMatchObject({ status: 2, stdout: '', stderr });
    }
    expect(cards(dir)).toEqual([]);
    expect(runF3(...args, '--shield', '0').status).toBe(0); // no shield at all
    const { options } = JSON.parse(readFileSync(join(dir, 'owners/north/model.json'), 'utf8'));
    expect([options.answers, options.maxRecovery, options.shield]).toEqual([32, 0.5, undefined]);
  });

  it('embeds with a model trained elsewhere', async () => {
    const dir = join(temporaryDirectory(), 'plant');
    const { length, variates, windows, lstm, width } = expected;
    const samples = Array.from({ length: windows.length / (length * variates) }, (_, i) => `s${i}`);
    const third = Math.floor(samples.length / 3);
    const card = { name: 'plant', classes: ['a', 'b', 'c'], simulated: true, source: {} };
    await writeDataset(dir, card, async (writer) => {
      const shape = { length, variates: ['v', 'i'], rate: '30 Hz' };
      await writer.addOwner({ id: 'plant-7', ...shape, samples, windows: Float32Array.from(windows) });
      writer.setLabels(samples, new Int32Array(samples.length));
      const parts = [samples.slice(0, third), samples.slice(third, 2 * third), samples.slice(2 * third)];
      writer.setSplit({ train: parts[0], validation: parts[1], test: parts[2] });
    });
    const out = join(dir, 'bundles');
    const args = ['owner', 'embed', dir, '--owner', 'plant-7', '--out', out, '--onnx', fixture('lstm.onnx')];
    const embedded = runF3(...args, '--embedding', 'embedding');
    expect(embedded.stderr).not.toContain('f3:');
    expect(embedded.status).toBe(0);
    const bundle = decodeBundle(readFileSync(join(out, 'plant-7.arrow')), 'plant-7.arrow');
    expect(bundle).toMatchObject({ owner: 'plant-7', samples, width });
    expectClose(bundle.embeddings, lstm.embedding, 1e-5, 'embeddings');
  });

  it('leaves the local opinions out when asked to, and then has no entropy to show', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const out = join(dir, 'bundles');
    runF3('owner', 'train', dir, '--owner', 'north', ...quick);
    expect(runF3('owner', 'embed', dir, '--owner', 'north', '--out', out, '--no-votes').status).toBe(0);
    const entropy = runF3('bundle', 'entropy', out);
    expect(entropy.status).toBe(2);
    expect(entropy.stderr).toContain('F3_BUNDLE_VOTES');
  });

  it('keeps finished owners when interrupted, and goes on with the others', async () => {
    const dir = await toyDataset(temporaryDirectory(), 400);
    const args = [
      'owner',
      'train',
      dir,
      '--all',
      '--threads',
      '1',
      '--width',
      '8',
      '--epochs',
      '60',
      '--patience',
      '60',
    ];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
    setPriority(child.pid as number, constants.priority.PRIORITY_LOW); // so that it is stopped before it has finished all
    const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
    while (cards(dir).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    expect(await exited).toBe(130);
    const finished = cards(dir);
    expect(finished.length).toBeGreaterThan(0);
    expect(finished.length).toBeLessThan(3);
    const file = join(dir, 'owners', finished[0], 'model.safetensors');
    const before = statSync(file).mtimeMs;
    expect(runF3(...args).status).toBe(0);
    expect(cards(dir)).toHaveLength(3);
    expect(statSync(file).mtimeMs).toBe(before);
  });

  it.each([
    ['no owner named', ['owner', 'train', 'DIR'], 'owner: name one with --owner, or take --all'],
    ['an unknown owner', ['owner', 'train', 'DIR', '--owner', 'west'], 'owner must be one of its 3'],
    ['a folder without owners', ['owner', 'train', 'DIR/owners', '--all'], 'must hold a folder owners'],
    ['nothing trained yet', ['owner', 'embed', 'DIR', '--all', '--out', 'DIR/b'], 'owner east: must be trained first'],
    [
      'ONNX for several owners',
      ['owner', 'embed', 'DIR', '--all', '--out', 'DIR/b', '--onnx', 'm.onnx'],
      '--onnx: must be',
    ],
    ['a width of zero', ['owner', 'train', 'DIR', '--all', '--width', '0'], 'whole number from 1 to 1024'],
  ])('says what is wrong: %s', async (_, args, message) => {
    const dir = await toyDataset(temporaryDirectory());
    const result = runF3(...args.map((arg) => arg.replace('DIR', dir)));
    expect(result.status).toBe(2);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain('    at ');
  });
});
