// Sample ids under pseudonyms, as owners and the label holder type it: a key holder in its own process, a toy coordinator here.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import { type Bundle, decodeBundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { joinFederation } from '../../src/exchange/client/join-federation.ts';
import { decodeLabels } from '../../src/exchange/labels/labels.ts';
import { InputAssembly } from '../../src/fuse/join/fusion-input.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundle, toyBundles } from '../support/toy-bundles.ts';
import { ToyCoordinator } from '../support/toy-coordinator.ts';
import { f3Environment, MAIN, runF3 } from './run-f3.ts';
import { startF3 } from './start-f3.ts';

const SAMPLES = 12;
const dir = suiteDirectory();
const data = join(dir, 'keys');
const coordinator = new ToyCoordinator();
let url: string;
let holder: ChildProcess;
let keys: { url: string; publicKey: string };

beforeAll(async () => {
  url = `http://127.0.0.1:${await coordinator.listen()}`;
  holder = spawn(process.execPath, [MAIN, 'pseudonyms', 'serve', '--data', data, '--port', '0', '--json'], {
    env: f3Environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: holder.stdout! })) {
    keys = JSON.parse(line);
    return;
  }
});
afterAll(async () => {
  coordinator.close();
  const ended = new Promise((resolve) => holder.once('exit', resolve));
  holder.kill('SIGTERM');
  expect(await ended).toBe(0);
});
beforeEach(() => {
  coordinator.seen.length = 0;
});

async function joined(owner: string, role: 'owner' | 'labels' = 'owner'): Promise<string> {
  const home = join(dir, `home-${owner}`);
  await joinFederation({ home, url, code: coordinator.invite(owner, role) });
  return home;
}

function invited(name: string): string {
  const { status, stdout } = runF3('pseudonyms', 'invite', name, '--data', data, '--json');
  expect(status).toBe(0);
  return JSON.parse(stdout).code;
}

const wireText = () => coordinator.seen.map(({ path, body }) => path + body.toString('latin1')).join('\n');
const lastUpload = () => new Uint8Array([...coordinator.uploads.values()].at(-1)?.bytes ?? []);

describe('a federation under pseudonyms', () => {
  const { labels } = toyBundles(dir, { owners: 2, samples: SAMPLES });
  const plain = toyBundle(0, { samples: SAMPLES });
  const sent: { bundle?: Bundle; bytes?: Uint8Array } = {};
  let home: string;

  it('gets an owner’s bundle without a single id of its own, in an order that tells nothing', async () => {
    home = await joined('owner-0');
    coordinator.seen.length = 0;
    const flags = ['--pseudonyms', keys.url, '--pseudonyms-code', invited('owner-0'), '--home', home];
    const file = join(dir, 'bundles', 'owner-0.arrow');
    expect(await startF3(['owner', 'push', file, ...flags])).toMatchObject({ status: 0 });
    for (const id of plain.samples) expect(wireText()).not.toContain(id);
    sent.bytes = lastUpload();
    sent.bundle = decodeBundle(sent.bytes, 'sent');
    const { samples, pseudonyms, embeddings, width } = sent.bundle;
    expect(pseudonyms).toBe(keys.publicKey);
    expect(samples).toEqual([...samples].sort());
    expect(samples.every((name) => /^[0-9a-f]{32}$/.test(name))).toBe(true);
    // Every row has kept its embedding, at another place.
    const book = new Map(
      readFileSync(join(home, `grid@${new URL(url).host.replace(':', '_')}`, 'pseudonyms.txt'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(0, 32), JSON.parse(line.slice(33))]),
    );
    const rowOf = (id: string) => plain.samples.indexOf(id);
    for (const [row, name] of samples.entries()) {
      const own = rowOf(book.get(name)) * width;
      expect(embeddings.subarray(row * width, (row + 1) * width)).toEqual(plain.embeddings.subarray(own, own + width));
    }
    expect(samples.map((name) => rowOf(book.get(name)))).not.toEqual([...samples.keys()]);
  });

  it('remembers the key holder: the next push without options sends no id either, and the same bytes', async () => {
    const file = join(dir, 'bundles', 'owner-0.arrow');
    const again = await startF3(['owner', 'push', file, '--home', home]);
    expect(again).toMatchObject({ status: 0 });
    expect(again.stdout).toContain('was there already');
    for (const id of plain.samples) expect(wireText()).not.toContain(id);
  });

  it('sends ids as they are only when told so', async () => {
    const file = join(dir, 'bundles', 'owner-0.arrow');
    expect(await startF3(['owner', 'push', file, '--no-pseudonyms', '--home', home])).toMatchObject({ status: 0 });
    expect(decodeBundle(lastUpload(), 'plain').samples).toEqual(plain.samples);
  });

  it('joins the bundle with the labels of a label holder that used the same key, and with no others', async () => {
    const own = await joined('judge', 'labels');
    const flags = ['--pseudonyms', keys.url, '--pseudonyms-code', invited('judge'), '--home', own];
    expect(await startF3(['owner', 'push', '--labels', labels, ...flags])).toMatchObject({ status: 0 });
    const set = decodeLabels(lastUpload(), 'labels');
    const engine = new Engine({ threads: 1 });
    try {
      const bundle = sent.bundle as Bundle;
      const assembly = new InputAssembly(engine, { labels: set, expected: 1 });
      expect(assembly.add(bundle, 'x').joined).toBe(SAMPLES);
      const refused = expect.objectContaining({ code: 'F3_PSEUDONYM_KEY' });
      const { pseudonyms: _, ...plainLabels } = set;
      const add = (labelSet: typeof set, one: Bundle) =>
        new InputAssembly(engine, { labels: labelSet, expected: 1 }).add(one, 'x');
      expect(() => add(plainLabels, bundle)).toThrow(refused);
      expect(() => add(set, { ...bundle, pseudonyms: 'f'.repeat(64) })).toThrow(refused);
      expect(() => add(set, plain)).toThrow(refused);
    } finally {
      await engine.dispose();
    }
  });

  it('translates a split, and lists who asked', async () => {
    const out = join(dir, 'split-pseudonyms.json');
    const split = join(dir, 'split.json');
    expect(await startF3(['pseudonyms', 'translate', split, '--out', out, '--home', home])).toMatchObject({
      status: 0,
    });
    const { train, validation, test } = JSON.parse(readFileSync(out, 'utf8'));
    expect([...train, ...validation, ...test].sort()).toEqual(sent.bundle?.samples);
    const { stdout } = runF3('pseudonyms', 'members', '--data', data, '--json');
    expect(JSON.parse(stdout).members.map(({ name }: { name: string }) => name)).toEqual(['judge', 'owner-0']);
    expect(JSON.parse(stdout).members[1].idsToday).toBe(SAMPLES);
  });

  it('stops before anything is sent when the key holder is away or does not know us', async () => {
    const stranger = await joined('owner-1');
    coordinator.seen.length = 0;
    const file = join(dir, 'bundles', 'owner-1.arrow');
    const unknown = await startF3(['owner', 'push', file, '--pseudonyms', keys.url, '--home', stranger]);
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_AUTH_UNKNOWN') });
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('spends nothing of its privacy budget then, and pays when the pseudonyms are there', async () => {
    const own = join(dir, 'home-owner-1');
    const push = (...flags: string[]) => {
      const file = join(dir, 'bundles', 'owner-1.arrow');
      const noise = ['--clip', '2', '--noise', '2', '--json'];
      return startF3(['owner', 'push', file, '--home', own, '--pseudonyms', keys.url, ...noise, ...flags]);
    };
    const spent = join(own, 'owners', 'owner-1', 'privacy', 'spent.jsonl');
    expect(await push()).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_AUTH_UNKNOWN') });
    expect(existsSync(spent)).toBe(false);
    const sent = await push('--pseudonyms-code', invited('owner-1'));
    expect(JSON.parse(sent.stdout).privacy).toMatchObject({ releases: 1 });
    expect(readFileSync(spent, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });

  it('refuses metadata that name no key', () => {
    const bytes = encodeBundle({ ...plain, pseudonyms: 'not a key' });
    expect(() => decodeBundle(bytes, 'bundle')).toThrow(expect.objectContaining({ code: 'F3_BUNDLE_FORMAT' }));
    const file = join(dir, 'odd.arrow');
    writeFileSync(file, bytes);
    expect(runF3('bundle', 'check', file).status).toBe(2);
  });
});
