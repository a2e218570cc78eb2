// The commands that talk to a coordinator, as members and operators type them; the coordinator is a toy in this process.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shownSize } from '../../src/cli/terminal/shown-size.ts';
import { readOwnerFolder } from '../../src/data/dataset/owner-folder.ts';
import { decodeBundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { joinFederation } from '../../src/exchange/client/join-federation.ts';
import { createKeyPair, loadKeyPair, saveKeyPair } from '../../src/exchange/identity/key-pair.ts';
import { decodeLabels } from '../../src/exchange/labels/labels.ts';
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { Events, ToyCoordinator } from '../support/toy-coordinator.ts';
import { toyDataset } from '../support/toy-dataset.ts';
import { TrafficTap } from '../support/traffic-tap.ts';
import { runF3 } from './run-f3.ts';
import { startF3 } from './start-f3.ts';

const coordinator = new ToyCoordinator();
let url: string;
let tap: TrafficTap;
let tapped: string;
beforeAll(async () => {
  const port = await coordinator.listen();
  url = `http://127.0.0.1:${port}`;
  tap = new TrafficTap(port);
  tapped = `http://127.0.0.1:${await tap.listen()}`;
});
afterAll(() => {
  tap.close();
  coordinator.close();
});
beforeEach(() => {
  coordinator.seen.length = 0;
  coordinator.fault = () => undefined;
  coordinator.route = () => undefined;
});

/** The home folder of a member. */
async function joined(owner: string, role: 'owner' | 'labels' | 'operator' = 'owner'): Promise<string> {
  const home = temporaryDirectory();
  const code = coordinator.invite(owner, role, role === 'operator' ? null : 'grid');
  await joinFederation({ home, url, code });
  coordinator.seen.length = 0;
  return home;
}

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('an owner', () => {
  const parent = suiteDirectory();
  let dir: string;
  let north: string;
  let bundle: string;
  beforeAll(async () => {
    dir = await toyDataset(parent, 40);
    north = join(dir, 'owners', 'north');
    bundle = join(dir, 'bundles', 'north.arrow');
    const quick = ['--width', '4', '--epochs', '2', '--batch', '16'];
    expect(runF3('owner', 'train', dir, '--owner', 'north', ...quick).status).toBe(0);
    expect(runF3('owner', 'embed', dir, '--owner', 'north', '--out', join(dir, 'bundles')).status).toBe(0);
  });

  it('sends embeddings and sample ids, never a reading, never its key', async () => {
    const home = temporaryDirectory();
    const enrol = ['owner', 'join', tapped, '--code', coordinator.invite('north'), '--home', home];
    expect(await startF3(enrol)).toMatchObject({ status: 0, stderr: '' });
    const pushed = await startF3(['owner', 'push', bundle, '--home', home, '--json']);
    expect(pushed.stderr).toBe('sending bundle\n');
    const bytes = readFileSync(bundle);
    expect(JSON.parse(pushed.stdout)).toMatchObject({ owner: 'north', kind: 'bundle', version: 1, sent: bytes.length });
    const streamed = await startF3(['owner', 'stream', north, '--home', home]);
    expect(streamed).toMatchObject({ status: 0, stderr: '40 samples sent, 40 answered\n' });

    const sent = tap.sent();
    const [folder] = readdirSync(home);
    const { privateKey } = await loadKeyPair(join(home, folder, 'key.json'));
    const secret = Buffer.from(String(privateKey.d), 'base64url');
    for (const form of [String(privateKey.d), secret, secret.toString('hex'), secret.toString('base64')]) {
      expect(sent.includes(form)).toBe(false);
    }
    const { windows } = await readOwnerFolder(north);
    expect(readingsIn(sent, windows)).toEqual([]);

    // The search would find them: in the owner's own file, and in the line of JSON that a careless program might send.
    expect(readingsIn(readFileSync(join(north, 'windows.arrow')), windows).length).toBeGreaterThan(500);
    expect(readingsIn(Buffer.from(JSON.stringify([...windows])), windows).length).toBeGreaterThan(500);
    // And the wire was the right one: bundle, ids and embeddings did go over it.
    const { embeddings, samples } = decodeBundle(bytes, bundle);
    expect(sent.includes(bytes.subarray(0, 4000))).toBe(true);
    expect(samples.every((sample) => sent.includes(`/live/${sample} `))).toBe(true);
    expect(sent.includes(JSON.stringify([...embeddings.subarray(0, 4)]))).toBe(true);
  });

  it('joins once per code, keeps its key, and learns why it may not join', async () => {
    const home = temporaryDirectory();
    const code = coordinator.invite('north');
    const join1 = ['owner', 'join', url, '--code', code, '--home', home];
    const first = await startF3([...join1, '--json']);
    expect(JSON.parse(first.stdout)).toMatchObject({ url, federation: 'grid', owner: 'north', role: 'owner' });
    const again = await startF3(join1);
    expect(again).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'f3: invitation: must be known and unused, got another [F3_AUTH_TOKEN]\n',
    });
    const other = await startF3(['owner', 'join', url, '--code', coordinator.invite('north'), '--home', home]);
    expect(other.status).toBe(2);
    expect(other.stderr).toMatch(/^f3: membership .* must not exist, got another membership; .*\[F3_HOME\]\n$/);
    for (const wrong of ['nonsense', 'http://a/b']) {
      const { status, stderr } = await startF3(['owner', 'join', wrong, '--code', 'x', '--home', home]);
      expect(status).toBe(2);
      expect(stderr).toContain(`got ${wrong} [F3_ARGUMENT]\n`);
    }
  });

  it('pushes once: the same bundle again costs nothing', async () => {
    const home = await joined('north');
    coordinator.uploads.clear();
    expect((await startF3(['owner', 'push', bundle, '--home', home])).stdout).toContain(
      `bundle of north, version 1 in federation grid at ${url}: ${shownSize(statSync(bundle).size)} sent\nsha256 `,
    );
    coordinator.seen.length = 0;
    const again = await startF3(['owner', 'push', bundle, '--home', home]);
    expect(again.stdout).toContain('was there already');
    expect(coordinator.paths('PUT')).toEqual([]);
  });

  it('hears of a dropped line and goes on', async () => {
    const home = await joined('north');
    coordinator.uploads.clear();
    let puts = 0;
    coordinator.fault = ({ method }) => (method === 'PUT' && puts++ === 0 ? 'drop' : undefined);
    const { status, stderr } = await startF3(['owner', 'push', bundle, '--home', home]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/must answer, got a dropped connection; trying again in 0\.\d s\n/);
  });

  it('is stopped before anything is sent when the bundle is not its own or not sound', async () => {
    const home = await joined('south');
    const foreign = await startF3(['owner', 'push', bundle, '--home', home]);
    expect(foreign).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `f3: bundle ${bundle}: owner must be the member's south, got north [F3_OWNER_MISMATCH]\n`,
    });
    const broken = join(temporaryDirectory(), 'broken.arrow');
    const samples = ['a', 'a'];
    const content = {
      owner: 'south',
      samples,
      sampleType: 'text' as const,
      width: 1,
      embeddings: Float32Array.of(1, 2),
    };
    writeFileSync(broken, encodeBundle(content));
    const unsound = await startF3(['owner', 'push', broken, '--home', home]);
    expect(unsound.stderr).toContain('[F3_BUNDLE_DUPLICATE]');
    const streamed = await startF3(['owner', 'stream', north, '--home', home]);
    expect(streamed.stderr).toContain("owner must be the member's south, got north [F3_OWNER_MISMATCH]");
    expect(coordinator.seen).toEqual([]);
    expect((await startF3(['owner', 'push', '--home', home])).stderr).toContain('[F3_OPTION]');
    const labels = ['owner', 'push', '--labels', join(dir, 'labels.arrow'), '--home', home];
    expect((await startF3(labels)).stderr).toContain(
      'got none that fits (f3 owner join makes one; operators use f3 login) [F3_HOME]',
    );
  });

  it('streams windows from stdin through its frozen model', async () => {
    const home = await joined('north');
    const { windows, samples } = await readOwnerFolder(north);
    const line = (row: number) =>
      JSON.stringify({ sample: samples[row], window: [...windows.subarray(row * 16, (row + 1) * 16)] });
    const limits = ['--quorum', '2', '--deadline', '500', '--rate', '1000'];
    const args = ['owner', 'stream', '-', '--model', north, '--home', home, ...limits];
    const { status, stdout } = await startF3(args, { input: `${line(3)}\n\n${line(1)}\n` });
    expect(status).toBe(0);
    const answer = { class: 'swing', probabilities: [0.25, 0.75], present: ['north'] };
    expect(jsonLines(stdout)).toHaveLength(2);
    expect(jsonLines(stdout)).toContainEqual({ sample: samples[3], ...answer });
    const { embeddings } = decodeBundle(readFileSync(bundle), bundle);
    const posted = coordinator.seen.find(({ path }) => path.endsWith(samples[3]));
    expect(JSON.parse(String(posted?.body))).toEqual({
      embedding: [...embeddings.subarray(12, 16)],
      quorum: 2,
      deadlineMs: 500,
    });
  });

  it('goes on after a sample that is refused, and says so in the end', async () => {
    const home = await joined('north');
    const body = { code: 'F3_FUSE_WIDTH', message: 'sample s0001: width must be 8, got 4' };
    coordinator.fault = ({ path }) => (path.endsWith('s0001') ? { status: 422, body } : undefined);
    const samples = ['s0000', 's0001', 's0002'];
    const { status, stdout, stderr } = await startF3([
      'owner',
      'stream',
      north,
      '--home',
      home,
      '--samples',
      ...samples,
    ]);
    expect(status).toBe(2);
    expect(jsonLines(stdout)).toContainEqual({ sample: 's0001', error: body });
    expect(jsonLines(stdout)).toHaveLength(3);
    expect(stderr).toBe(
      `3 samples sent, 2 answered\nf3: 1 of 3 samples refused, the first: ${body.message} [F3_FUSE_WIDTH]\n`,
    );
  });

  it('goes on after lines that are no windows, each told in its place', async () => {
    const home = await joined('north');
    const { windows, samples } = await readOwnerFolder(north);
    const sound = JSON.stringify({ sample: samples[0], window: [...windows.subarray(0, 16)] });
    const infinite = JSON.stringify({ sample: 'far', window: new Array(16).fill(1e39) });
    const input = `\n{\n{"sample":"short","window":[1,2]}\n${infinite}\n${sound}\n`;
    const args = ['owner', 'stream', '-', '--model', north, '--home', home];
    const { status, stdout, stderr } = await startF3(args, { input });
    const code = 'F3_STREAM_WINDOW';
    const line = 'stdin: line 2 must be {"sample": "id", "window": [numbers]}, got {';
    const short = 'sample short: window must be 8 × 2 numbers, got 2';
    const far = 'sample far: window must be finite, got Infinity (number 1)';
    expect(jsonLines(stdout)).toEqual([
      { sample: null, error: { code, message: line } },
      { sample: 'short', error: { code, message: short } },
      { sample: 'far', error: { code, message: far } },
      expect.objectContaining({ sample: samples[0], class: 'swing' }),
    ]);
    expect(status).toBe(2);
    expect(stderr).toBe(`1 samples sent, 1 answered\nf3: 3 of 4 samples refused, the first: ${line} [${code}]\n`);
  });

  it('is told about samples and models that are none', async () => {
    const home = await joined('north');
    const unknown = await startF3(['owner', 'stream', north, '--home', home, '--samples', 'none']);
    expect(unknown.stderr).toContain('[F3_STREAM_WINDOW]');
    expect((await startF3(['owner', 'stream', '-', '--home', home])).stderr).toContain('--model: must name');
    const patient = await startF3(['owner', 'stream', north, '--home', home, '--deadline', '50001']);
    expect(patient.stderr).toContain('It must be a whole number from 1 to 50000. [F3_OPTION]');
    expect(coordinator.paths('POST')).toEqual([]);
  });
});

it('the label holder sends labels, Arrow as they are or CSV made Arrow', async () => {
  const home = await joined('control-room', 'labels');
  const dir = await toyDataset(temporaryDirectory(), 40);
  coordinator.uploads.clear();
  const arrow = join(dir, 'labels.arrow');
  expect((await startF3(['owner', 'push', '--labels', arrow, '--home', home])).status).toBe(0);
  const csv = join(dir, 'labels.csv');
  writeFileSync(csv, 'sample,label\na,storm\nb,calm\n');
  expect((await startF3(['owner', 'push', '--labels', csv, '--home', home])).status).toBe(0);
  const [first, second] = coordinator.uploads.values();
  expect(Buffer.compare(first.bytes, readFileSync(arrow))).toBe(0);
  expect(decodeLabels(second.bytes, 'sent')).toEqual({
    samples: ['a', 'b'],
    labels: Int32Array.of(1, 0),
    classes: ['calm', 'storm'],
  });
  writeFileSync(csv, 'sample,label\na,storm\na,calm\n');
  expect((await startF3(['owner', 'push', '--labels', csv, '--home', home])).stderr).toContain('[F3_LABELS]');
});

describe('an operator', () => {
  it('makes a federation, lets owners in and out, looks at it', async () => {
    const home = await joined('ops', 'operator');
    const answers: Record<string, unknown> = {
      'POST /v1/federations': { name: 'grid' },
      'GET /v1/federations': { federations: [{ name: 'grid', classes: ['calm', 'storm'], activeModel: null }] },
      'POST /v1/federations/grid/invitations': { code: 'abc', expires: '2026-05-02T12:00:00Z' },
      'POST /v1/federations/grid/members/plant%207/revoke': {},
      'GET /v1/federations/grid': {
        name: 'grid',
        classes: ['calm', 'storm'],
        activeModel: 2,
        trainings: [],
        owners: [{ owner: 'plant-7', role: 'owner', bundle: { version: 1, samples: 40 }, revoked: false }],
      },
      'GET /v1/federations/grid/models': {
        models: [{ version: 1, active: true, created: '2026-05-01T12:00:30Z', test: { accuracy: 0.91234, auc: null } }],
      },
      'GET /v1/federations/grid/models/1': { version: 1, owners: [] },
      'POST /v1/federations/grid/models/1/activate': {},
      'GET /v1/federations/grid/audit?after=4&limit=2': {
        entries: [
          {
            id: 5,
            at: '2026-05-01T12:00:30Z',
            federation: 'grid',
            actor: 'plant-7',
            action: 'bundle.received',
            details: { version: 1, sha256: 'a'.repeat(64), training: '3f0ab1c2-5d6e-4f70-8a9b-0c1d2e3f4a5b' },
          },
        ],
      },
    };
    coordinator.route = ({ method, path }) => answers[`${method} ${path}`];
    const f3 = async (...args: string[]) => {
      const { status, stdout, stderr } = await startF3([...args, '--home', home]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout;
    };
    expect(await f3('federation', 'create', 'grid', '--classes', 'calm,storm')).toContain(`federation grid at ${url}`);
    expect(JSON.parse(String(coordinator.seen[0].body))).toEqual({ name: 'grid', classes: ['calm', 'storm'] });
    expect(await f3('owner', 'invite', 'grid', 'plant-7', '--hours', '2')).toBe(
      `f3 owner join ${url} --code abc\ngood once, until 2026-05-02T12:00:00Z\n`,
    );
    expect(JSON.parse(String(coordinator.seen[1].body))).toEqual({ owner: 'plant-7', role: 'owner', hours: 2 });
    expect(await f3('owner', 'revoke', 'grid', 'plant 7')).toBe('plant 7 is revoked in federation grid\n');
    expect(await f3('federation', 'list')).toBe(
      'federation  active model  classes      made (UTC)\ngrid                   –  calm, storm           –\n',
    );
    expect(JSON.parse(await f3('federation', 'list', '--json'))).toEqual(answers['GET /v1/federations']);
    expect(await f3('federation', 'status', 'grid')).toBe(
      `federation grid
  classes       calm, storm
  active model  2
  owners        1, 1 with a bundle

owner    bundle  samples  width  protected by  received (UTC)
plant-7       1       40      –             –               –
`,
    );
    expect(await f3('federation', 'models', 'grid')).toBe(
      `model  state   trained (UTC)     val. ROC AUC  val. loss  test ROC AUC  test accuracy
    1  active  2026-05-01 12:00             –          –             –          0.912
`,
    );
    const older = await startF3(['federation', 'models', 'grid', '1', '--home', home]);
    expect(older.stderr).toBe(
      'f3: answer to model: model must be a group of fields, got nothing [F3_CLIENT_RESPONSE]\n',
    );
    expect(await f3('federation', 'activate', 'grid', '1')).toBe('model 1 answers for federation grid\n');
    expect(await f3('federation', 'audit', 'grid', '--after', '4', '--limit', '2')).toBe(
      `entry  at (UTC)          who      did
    5  2026-05-01 12:00  plant-7  sent bundle version 1
`,
    );
    expect(await f3('federation', 'audit', 'grid', '--after', '4', '--limit', '2', '--verbose')).toContain(
      `version 1, sha256 ${'a'.repeat(64)}, training 3f0ab1c2-5d6e-4f70-8a9b-0c1d2e3f4a5b\n`,
    );
  });

  it('hears that the audit log goes on', async () => {
    const home = await joined('ops', 'operator');
    const log = [1, 2, 3].map((id) => ({ id, action: 'member.joined', details: { role: 'owner' } }));
    coordinator.route = ({ path }) => {
      const { searchParams } = new URL(path, url);
      const [after, limit] = ['after', 'limit'].map((name) => Number(searchParams.get(name)));
      return { entries: log.filter(({ id }) => id > after).slice(0, limit) };
    };
    const audit = (limit: string) => startF3(['federation', 'audit', 'grid', '--limit', limit, '--home', home]);
    expect(await audit('2')).toEqual({
      status: 0,
      stdout: `entry  at (UTC)  who  did
    1         –    –  joined as owner
    2         –    –  joined as owner
`,
      stderr: 'there are more entries: --after 2 shows them\n',
    });
    for (const limit of ['3', '4']) expect(await audit(limit)).toMatchObject({ status: 0, stderr: '' });
  });

  it('may name the key file that the coordinator left', async () => {
    const keys = await createKeyPair();
    const file = join(temporaryDirectory(), 'operator-key.json');
    saveKeyPair(file, keys);
    coordinator.members.set(keys.id, { federation: null, owner: 'ops', role: 'operator', publicKey: keys.publicKey });
    coordinator.route = () => ({ name: 'grid' });
    const created = await startF3(['federation', 'create', 'grid', '--url', url, '--key', file, '--json']);
    expect(JSON.parse(created.stdout)).toEqual({ name: 'grid' });
    const without = await startF3(['federation', 'create', 'grid', '--key', file]);
    expect(without.stderr).toContain(
      '--key: the coordinator must be named with --url, F3_URL or a profile [F3_OPTION]',
    );
    const named = await startF3(['federation', 'create', '../x', '--url', url, '--key', file]);
    expect(named.stderr).toContain('federation: must be 1 to 60 of a to z, 0 to 9 and -, got "../x" [F3_OPTION]');
  });

  it('trains with the options of f3 fuse and watches to the end', async () => {
    const home = await joined('ops', 'operator');
    const dir = temporaryDirectory();
    const split = join(dir, 'split.csv');
    writeFileSync(split, 'sample,split\na,train\nb,validation\nc,test\n');
    let epoch = '{"epoch":1,"trainLoss":0.7,"validationLoss":0.6}';
    let state = 'done';
    coordinator.route = ({ method, path }) => {
      if (path.endsWith('/events')) return new Events(`data: ${epoch}\n\ndata: {"state":"${state}"}\n\n`);
      if (path.endsWith('/cancel')) return {};
      if (path.endsWith('/models')) return { models: [] };
      if (path === '/v1/federations/grid')
        return { name: 'grid', owners: [], trainings: [{ id: 't1' }, { id: 't20' }, { id: 't21' }] };
      const failed = state === 'failed' && { error: { code: 'F3_FUSE_DIVERGED', message: 'loss: got NaN' } };
      return method === 'POST' ? { id: 't1' } : { id: 't1', state, model: 3, ...failed };
    };
    const train = (...args: string[]) => startF3(['federation', 'train', 'grid', '--home', home, ...args]);
    const options = [
      '--row',
      'E',
      '--epochs',
      '7',
      '--lr',
      'auto',
      '--split',
      split,
      '--classes',
      'calm,storm',
      '--promote',
      'never',
    ];
    const done = await train(...options, '--json');
    expect(done.status).toBe(0);
    expect(JSON.parse(done.stdout)).toEqual({ id: 't1', state: 'done', model: 3, models: [] });
    expect(JSON.parse(String(coordinator.seen[0].body))).toEqual({
      preset: 'paper',
      config: { alignment: 'none', graph: 'none', epochs: 7 },
      learningRates: [0.01, 0.001],
      split: { train: ['a'], validation: ['b'], test: ['c'] },
      classes: ['calm', 'storm'],
      promote: 'never',
    });
    expect((await train('--split', '4', '--detach')).stdout).toContain('training t1 started');
    expect((await train('--follow', 't1')).stdout).toBe('training t1 done: model 3 of federation grid\n');
    epoch = '{"epoch":2,"trainLoss":null,"validationLoss":null}'; // of parts that are too small to be told of
    expect((await train('--follow', 't1')).stdout).toBe('training t1 done: model 3 of federation grid\n');
    expect((await train('--cancel', 't1')).stdout).toBe('training t1 is told to end\n');
    const vague = '--cancel: one training of grid must begin with';
    expect((await train('--cancel', 't2')).stderr).toContain(`${vague} "t2", got 2 of them [F3_OPTION]`);
    expect((await train('--cancel', '')).stderr).toContain(`${vague} "", got none [F3_OPTION]`);
    expect((await train('--refit', 'north', '--model', '2', '--epochs', '5', '--detach')).status).toBe(0);
    expect(JSON.parse(String(coordinator.seen.at(-1)?.body))).toEqual({
      config: { epochs: 5 },
      refit: { owner: 'north', model: 2 },
    });
    expect((await train('--model', '2')).stderr).toContain('--model: is for --refit only [F3_OPTION]');
    const asked = coordinator.seen.length;
    const other = await train('--refit', 'north', '--hidden', '4');
    expect(other.stderr).toContain(
      '--refit: the model stays what it is but for one alignment, got --hidden [F3_OPTION]',
    );
    expect((await train('--k', '3')).stderr).toContain('--k: is for --graph knn only, got --graph none [F3_OPTION]');
    const votes = await train('--method', 'majority');
    expect(votes.status).toBe(2);
    expect(votes.stderr).toContain(
      "'majority' is invalid. It must be one of consensus, transformer, concatenation, boosting: a coordinator learns from embeddings",
    );
    expect((await train('--row', 'B')).stderr).toContain('It must be one of E, F, G, H, J, K: a coordinator learns');
    expect(coordinator.seen).toHaveLength(asked);
    state = 'failed';
    const failed = await train();
    expect(failed.status).toBe(2);
    expect(failed.stderr).toContain('training t1: must end with a model, got failed: loss: got NaN [F3_FUSE_DIVERGED]');
    state = 'cancelled';
    expect((await train()).stderr).toContain('training t1: must end with a model, got cancelled [F3_TRAINING]');
    for (const told of [['--detach'], ['--split', '1'], ['--seed', '3'], ['--no-skip'], ['--promote', 'always']]) {
      const rule = `is for a training that has started, got ${told[0]} [F3_OPTION]`;
      expect((await train('--follow', 't1', ...told)).stderr).toContain(`--follow: ${rule}`);
      expect((await train('--cancel', 't1', ...told)).stderr).toContain(`--cancel: ${rule}`);
    }
    expect((await train('--follow', 't1', '--cancel', 't1')).stderr).toContain('--follow: stands alone, got --cancel');
  });

  it('sends a given graph of the owners that have sent a bundle, in their order', async () => {
    const home = await joined('ops', 'operator');
    const file = join(temporaryDirectory(), 'matrix.csv');
    writeFileSync(file, 'b,a\n0,0.5\n0.5,0\n');
    const [one, two] = ['a', 'b'].map((owner) => ({ owner, bundle: { version: 1 } }));
    const owners = [one, { owner: 'late', bundle: null }, two];
    coordinator.route = ({ method }) => (method === 'POST' ? { id: 't1' } : { name: 'grid', owners });
    const args = ['--graph', 'given', '--adjacency', file, '--detach', '--home', home];
    expect((await startF3(['federation', 'train', 'grid', ...args])).status).toBe(0);
    const { adjacency } = JSON.parse(String(coordinator.seen.at(-1)?.body));
    expect(adjacency).toEqual({
      owners: ['a', 'b'],
      weights: [
        [0, 0.5],
        [0.5, 0],
      ],
    });
  });
});

it('a coordinator that turns us away for longer than we wait is told in one line, with exit code 1', async () => {
  coordinator.fault = () => ({ status: 503, body: '', headers: { 'retry-after': '3600' } });
  const away = await startF3(['owner', 'join', url, '--code', 'x', '--home', temporaryDirectory()]);
  expect(away.status).toBe(1);
  expect(away.stderr).toMatch(/^f3: coordinator .* got status 503 \[F3_CLIENT_RESPONSE\]\n$/);
});

/**
 * The readings that occur in `bytes`: two next to each other as floats of 4 or 8 bytes in either order, one alone as a
 * decimal number.
 */
function readingsIn(bytes: Buffer, windows: Float32Array): number[] {
  const text = bytes.toString('latin1');
  return [...windows.keys()].filter((at) => {
    if (at + 1 === windows.length) return false;
    const pair = [windows[at], windows[at + 1]];
    const forms = (['FloatLE', 'FloatBE', 'DoubleLE', 'DoubleBE'] as const).map((kind) => {
      const size = kind.startsWith('Float') ? 4 : 8;
      const form = Buffer.alloc(2 * size);
      for (const [i, value] of pair.entries()) form[`write${kind}`](value, i * size);
      return form.toString('latin1');
    });
    return [...forms, String(windows[at]), windows[at].toPrecision(7)].some((form) => text.includes(form));
  });
}
