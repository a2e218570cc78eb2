// `f3 owner stream --onnx` as an owner types it, with models that PyTorch exported; the coordinator is a toy in this process.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeDataset } from '../../src/data/dataset/dataset-writer.ts';
import { decodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { joinFederation } from '../../src/exchange/client/join-federation.ts';
import { SUITE } from '../../src/privacy/pseudonyms/key-holder-client.ts';
import expected from '../fixtures/onnx/expected.json' with { type: 'json' };
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { ToyCoordinator } from '../support/toy-coordinator.ts';
import { startF3 } from './start-f3.ts';

const { length, variates, windows, width } = expected;
const size = length * variates;
const samples = Array.from({ length: windows.length / size }, (_, i) => `s${i}`);
const fixture = (name: string) => join(import.meta.dirname, '../fixtures/onnx', name);

const coordinator = new ToyCoordinator();
let url: string;
beforeAll(async () => {
  url = `http://127.0.0.1:${await coordinator.listen()}`;
});
afterAll(() => coordinator.close());
beforeEach(() => {
  coordinator.seen.length = 0;
});

async function joined(owner: string): Promise<string> {
  const home = temporaryDirectory();
  await joinFederation({ home, url, code: coordinator.invite(owner, 'owner', 'grid') });
  coordinator.seen.length = 0;
  return home;
}

/** sample → the embedding that was sent */
const sent = () =>
  new Map(
    coordinator.seen
      .filter(({ path }) => path.includes('/live/'))
      .map(({ path, body }) => [path.split('/').at(-1), JSON.parse(String(body)).embedding]),
  );

const line = (row: number, numbers = windows.slice(row * size, (row + 1) * size)) =>
  JSON.stringify({ sample: samples[row], window: numbers });

describe('f3 owner stream --onnx', () => {
  const parent = suiteDirectory();
  let folder: string;
  let bundle: Float32Array;
  beforeAll(async () => {
    const dir = join(parent, 'plant');
    const third = Math.floor(samples.length / 3);
    await writeDataset(
      dir,
      { name: 'plant', classes: ['a', 'b', 'c'], simulated: true, source: {} },
      async (writer) => {
        const shape = { length, variates: ['v', 'i'], rate: '30 Hz' };
        await writer.addOwner({ id: 'plant-7', ...shape, samples, windows: Float32Array.from(windows) });
        writer.setLabels(samples, new Int32Array(samples.length));
        const parts = [samples.slice(0, third), samples.slice(third, 2 * third), samples.slice(2 * third)];
        writer.setSplit({ train: parts[0], validation: parts[1], test: parts[2] });
      },
    );
    folder = join(dir, 'owners', 'plant-7');
    const out = join(dir, 'bundles');
    const embedded = await startF3([
      'owner',
      'embed',
      dir,
      '--owner',
      'plant-7',
      '--out',
      out,
      '--onnx',
      fixture('lstm.onnx'),
    ]);
    expect(embedded.status).toBe(0);
    bundle = decodeBundle(readFileSync(join(out, 'plant-7.arrow')), 'b').embeddings;
  });

  function expectBundleEmbeddings(rows: readonly number[]): void {
    const found = sent();
    expect([...found.keys()].sort()).toEqual(rows.map((row) => samples[row]).sort());
    for (const row of rows) {
      const numbers = found.get(samples[row]) as number[];
      expect(numbers).toHaveLength(width);
      numbers.forEach((value, k) => {
        expect(Math.abs(value - bundle[row * width + k])).toBeLessThan(1e-5);
      });
    }
  }

  it('sends for a folder’s windows what the bundle holds for them', async () => {
    const home = await joined('plant-7');
    const args = [
      'owner',
      'stream',
      folder,
      '--home',
      home,
      '--onnx',
      fixture('lstm.onnx'),
      '--embedding',
      'embedding',
    ];
    const { status, stderr } = await startF3(args);
    expect(stderr).toBe(`${samples.length} samples sent, ${samples.length} answered\n`);
    expect(status).toBe(0);
    expectBundleEmbeddings(samples.map((_, row) => row));
  });

  it('takes windows from stdin, of the shape that the model declares; what is none is told in its place', async () => {
    const home = await joined('plant-7');
    const args = ['owner', 'stream', '-', '--home', home, '--onnx', fixture('lstm.onnx')];
    const { status, stdout, stderr } = await startF3(args, { input: `${line(2)}\n${line(1, [1, 2])}\n${line(0)}\n` });
    expect(stdout).toContain(`sample s1: window must be ${length} × ${variates} numbers, got 2`);
    expect(stderr).toContain('1 of 3 samples refused');
    expect(status).toBe(2);
    expectBundleEmbeddings([2, 0]);
  });

  it('is told the shape where the model leaves it open', async () => {
    const home = await joined('plant-7');
    const open = ['owner', 'stream', '-', '--home', home, '--onnx', fixture('flatten-open-time.onnx')];
    const without = await startF3(open, { input: `${line(0)}\n` });
    expect(without.stderr).toContain('--window tells them, for example 12x2 [F3_ONNX_INPUT]');
    const told = await startF3([...open, '--window', `${length}x${variates}`], { input: `${line(0)}\n` });
    expect(told).toMatchObject({ status: 0, stderr: '1 samples sent, 1 answered\n' });
    expect(sent().get('s0')).toHaveLength(size);
  });

  it.each([
    ['a model that is not frozen', ['--onnx', fixture('dense-dropout.onnx')], 'F3_ONNX_NOT_FROZEN'],
    ['a graph without the output', ['--onnx', fixture('lstm.onnx'), '--embedding', 'hidden'], 'F3_ONNX_OUTPUT'],
    ['a file that is not there', ['--onnx', 'none.onnx'], 'F3_ONNX_UNREADABLE'],
    ['an output’s name without a model', ['--embedding', 'hidden'], 'F3_OPTION'],
    ['a shape beside a folder', ['--onnx', fixture('lstm.onnx'), '--window', '6x2'], 'F3_OPTION'],
    ['a shape that is none', ['--onnx', fixture('lstm.onnx'), '--window', '6'], 'F3_OPTION'],
  ])('refuses %s, and sends nothing', async (_, options, code) => {
    const home = await joined('plant-7');
    const { status, stderr } = await startF3(['owner', 'stream', folder, '--home', home, ...options]);
    expect(stderr).toContain(`[${code}]`);
    expect(status).toBe(2);
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('sends no embedding where the federation computes on shares', async () => {
    const home = await joined('plant-7');
    const before = coordinator.route;
    const charter = { fingerprint: 'f'.repeat(64), charter: {} };
    coordinator.route = ({ path }) => (path.endsWith('/shares') ? charter : undefined);
    onTestFinished(() => {
      coordinator.route = before;
    });
    const refused = await startF3(['owner', 'stream', folder, '--home', home, '--onnx', fixture('lstm.onnx')]);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('owners send with --share [F3_SHARES_ONLY]'),
    });
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('spends nothing of a privacy budget on samples that get no pseudonym', async () => {
    const home = await joined('plant-7');
    const holder = createServer(({ url: path }, response) => {
      response.statusCode = path === '/v1/key' ? 200 : 401;
      const facts = { suite: SUITE, publicKey: 'a'.repeat(64), batch: 500, idsPerDay: 9 };
      response.end(JSON.stringify(path === '/v1/key' ? facts : { code: 'F3_AUTH_UNKNOWN', message: 'a stranger' }));
    });
    onTestFinished(() => void holder.close());
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const flags = ['--pseudonyms', `http://127.0.0.1:${(holder.address() as AddressInfo).port}`];
    const noise = ['--clip', '2', '--noise', '4', '--onnx', fixture('lstm.onnx')];
    const ran = await startF3(['owner', 'stream', folder, '--home', home, ...noise, ...flags]);
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('a stranger') });
    expect(coordinator.paths('POST')).toEqual([]);
    expect(existsSync(join(home, 'owners', 'plant-7', 'privacy', 'spent.jsonl'))).toBe(false);
    const plain = await startF3(['owner', 'stream', folder, '--home', home, ...noise, '--no-pseudonyms']);
    expect(plain.status).toBe(0);
    const spent = readFileSync(join(home, 'owners', 'plant-7', 'privacy', 'spent.jsonl'), 'utf8');
    expect(spent.trimEnd().split('\n')).toHaveLength(samples.length);
  });

  it('refuses the windows of another owner', async () => {
    const home = await joined('plant-8');
    const { stderr } = await startF3(['owner', 'stream', folder, '--home', home, '--onnx', fixture('lstm.onnx')]);
    expect(stderr).toContain("owner must be the member's plant-8, got plant-7 [F3_OWNER_MISMATCH]");
  });
});
