// What an operator sees of trainings and models, as real processes against a real coordinator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { FederationScene, LABEL_HOLDER, SAMPLES } from '../support/federation-scene.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundle } from '../support/toy-bundles.ts';
import { MAIN } from './run-f3.ts';
import { startF3 } from './start-f3.ts';

describe('f3 federation, on a coordinator that trains', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
  });
  afterAll(() => scene?.server.close());

  const f3 = (...args: string[]) => {
    const { url, operatorKey } = scene.server;
    return startF3(['federation', ...args, '--url', url, '--key', operatorKey]);
  };
  const GOOD = ['--preset', 'graph', '--epochs', '60', '--hidden', '4', '--split', '1', '--owner-dropout', '0'];

  it('train ends with scores of both models side by side, and says which answers and why', async () => {
    const better = await f3('train', 'grid', ...GOOD);
    expect(better.status).toBe(0);
    expect(better.stdout).toMatch(
      new RegExp(
        [
          '^training [0-9a-f-]{36} done: model 2 of federation grid',
          ' +model 1 \\(former\\)  model 2 \\(active\\)  difference',
          'validation accuracy +0\\.\\d{4} +[01]\\.\\d{4}  [+−]0\\.\\d{4}',
          '(.*\\n){4}test accuracy +0\\.\\d{4} +[01]\\.\\d{4}  [+−]0\\.\\d{4}',
          '(.*\\n){3}test loss .*',
          'model 2 answers from now on: validation loss 0\\.\\d is below 0\\.\\d of model 1, and its ROC AUC .*',
          'f3 federation activate grid 1 goes back to model 1',
          '$',
        ].join('\\n'),
      ),
    );
    const worse = await f3('train', 'grid', '--epochs', '1', '--hidden', '4', '--lr', '0.00000001', '--split', '1');
    expect(worse.stdout).toMatch(
      /\nmodel 3 is a candidate, model 2 answers as before: validation loss .* is not below .* of model 2\n/,
    );
    expect(worse.stdout).toContain('\nan operator lets it answer with f3 federation promote grid 3\n');
    const json = JSON.parse((await f3('train', 'grid', ...GOOD, '--promote', 'never', '--json')).stdout);
    expect(json).toMatchObject({
      state: 'done',
      model: 4,
      promotion: { rule: 'never', promoted: false, before: 2 },
      models: [
        { version: 2, test: { accuracy: expect.any(Number) } },
        { version: 4, validation: {} },
      ],
    });
  });

  it('promote lets a candidate answer, and models shows who does and how good each is', async () => {
    expect((await f3('promote', 'grid', '3')).stdout).toBe('model 3 answers for federation grid\n');
    const { stdout } = await f3('models', 'grid');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('model  state      trained (UTC)     val. ROC AUC  val. loss  test ROC AUC  test accuracy');
    expect(rows.map((row) => row.slice(0, 16).trim())).toEqual(['1  former', '2  former', '3  active', '4  candidate']);
    for (const row of rows) expect(row).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\d( +[01]\.\d{3}){4}$/);
    const { stdout: whole } = await f3('models', 'grid', '--verbose');
    expect(whole).toContain('val. PR AUC');
  });

  it('models shows one of them on a page', async () => {
    const { stdout } = await f3('models', 'grid', '2');
    expect(stdout).toMatch(/^model 2 of federation grid\n {2}state +former, last began to answer .* UTC\n/);
    expect(stdout).toMatch(/\n {2}asked for by +operator-[\w-]+\n {2}labels +version 1\n {2}method +consensus/);
    expect(stdout).toMatch(/\n +model 2 \(former\)\nvalidation accuracy +[01]\.\d{4}\n/);
    expect(stdout).toMatch(/\nowner +bundle +width\nowner-0 +1 +4\n/);
    expect(stdout).not.toMatch(/[0-9a-f]{64}/);
    const card = JSON.parse((await f3('models', 'grid', '2', '--json')).stdout);
    expect(card).toMatchObject({
      weights: expect.stringMatching(/^[0-9a-f]{64}$/),
      model: { bundles: { 'owner-2': 1 } },
    });
  });

  it('compare puts scores, configuration and inputs of two models side by side', async () => {
    await scene.client('owner-2').upload('grid', 'bundle', encodeBundle({ ...toyBundle(2, { samples: 60, seed: 7 }) }));
    expect((await f3('train', 'grid', ...GOOD, '--hidden', '5', '--promote', 'never')).status).toBe(0);
    const { stdout } = await f3('compare', 'grid', '2', '5');
    expect(stdout).toMatch(/^ +model 2 \(former\) +model 5 \(candidate\) +difference\nvalidation accuracy/);
    expect(stdout).toContain('\nboth were validated on the same samples with the same labels\n');
    expect(stdout).toMatch(/\nconfiguration +model 2 +model 5\nhidden +4 +5\n/);
    expect(stdout).toMatch(/\nlearned from +model 2 +model 5\nbundle of owner-2 +version 1 +version 2\n$/);
    const alike = await f3('compare', 'grid', '2', '4');
    expect(alike.stdout).toContain('\nconfiguration: the same\n\nlearned from: the same\n');
    const json = JSON.parse((await f3('compare', 'grid', '2', '5', '--json')).stdout);
    expect(json).toMatchObject({ sameValidation: true, config: [{ name: 'hidden', first: 4, second: 5 }] });
    expect((await f3('compare', 'grid', '2', '99')).stderr).toContain('[F3_MODEL_UNKNOWN]');
  });

  it('graph shows the strongest edges, and writes all of them', async () => {
    const { stdout } = await f3('graph', 'grid', '--model', '2', '--edges', '2');
    const [head, titles, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^model 2: learned edge probabilities between 3 owners, 3 pairs, mean 0\.\d{3}$/);
    expect(titles).toMatch(/^from +to +probability$/);
    expect(rows).toHaveLength(2);
    const csv = join(dir, 'graph.csv');
    const written = await f3('graph', 'grid', '--model', '2', '--out', csv);
    expect(written).toEqual({
      status: 0,
      stdout: `3 edges between 3 owners, model 2, written to ${csv}\n`,
      stderr: '',
    });
    const lines = readFileSync(csv, 'utf8').trimEnd().split('\n');
    expect(lines[0]).toBe('from,to,probability');
    const probabilities = lines.slice(1).map((line) => Number(line.split(',')[2]));
    expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
    expect(
      lines
        .slice(1)
        .map((line) => line.split(',').slice(0, 2).join())
        .sort(),
    ).toEqual(['owner-0,owner-1', 'owner-0,owner-2', 'owner-1,owner-2']);
    const svg = join(dir, 'graph.svg');
    expect((await f3('graph', 'grid', '--model', '2', '--out', svg)).status).toBe(0);
    expect(readFileSync(svg, 'utf8')).toContain('Learned edge probabilities between 3 owners');
    expect((await f3('graph', 'grid', '--model', '2', '--out', csv)).stderr).toContain('[F3_OUTPUT]');
    expect((await f3('graph', 'grid', '--out', join(dir, 'graph.png'))).stderr).toContain('--out: must end in .csv');
    const json = JSON.parse((await f3('graph', 'grid', '--model', '2', '--json')).stdout);
    expect(json).toMatchObject({ owners: ['owner-0', 'owner-1', 'owner-2'], kind: 'learned', pairs: 3 });
  });

  it('predict answers as f3 predict does, through the coordinator', async () => {
    const folder = join(dir, 'bundles');
    mkdirSync(folder);
    for (const [owner, bytes] of scene.bundles) writeFileSync(join(folder, `${owner}.arrow`), bytes);
    await f3('activate', 'grid', '2');
    const csv = await f3('predict', 'grid', '--bundles', folder);
    expect(csv.stderr).toBe('');
    const lines = csv.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('sample,class,p(calm),p(storm),owners');
    expect(lines).toHaveLength(SAMPLES + 1);
    expect(lines[1]).toMatch(/^s0000,(calm|storm),[\d.e-]+,[\d.e-]+,3$/);
    const out = join(dir, 'predictions.csv');
    const two = await f3('predict', 'grid', '--bundles', folder, '--without', 'owner-1', '--out', out, '--json');
    expect(JSON.parse(two.stdout)).toMatchObject({ model: 2, samples: SAMPLES, classes: ['calm', 'storm'], out });
    expect(readFileSync(out, 'utf8')).toMatch(/\ns0000,\w+,[\d.e-]+,[\d.e-]+,2\n/);
    const nobody = await f3('predict', 'grid', '--bundles', folder, '--without', 'owner-9');
    expect(nobody.status).toBe(2);
    expect(nobody.stderr).toContain('must name owners of federation grid, or of the embeddings, got owner-9');
    const samples = join(dir, 'samples.json');
    writeFileSync(samples, JSON.stringify({ samples: [{ id: 'a', embeddings: { 'owner-0': [0, 0, 0, 0] } }] }));
    const one = await f3('predict', 'grid', '--samples', samples, '--without', 'owner-2', '--json');
    expect(JSON.parse(one.stdout)).toMatchObject({ model: 2, samples: 1, predictions: [{ sample: 'a', owners: 1 }] });
    writeFileSync(samples, '{"id": "a", "embeddings": {"owner-0": [0, 0, 0, 0]}}\n{"id": "b", "embeddings": {}}\n');
    const broken = await f3('predict', 'grid', '--samples', samples);
    expect(broken.stderr).toContain('entry 2 must be {"id": "…", "embeddings": {"owner": [numbers]}}, got {"id":"b"');
    expect((await f3('predict', 'grid')).stderr).toContain('one of them must be given, got neither [F3_OPTION]');
  });

  it('show has all of it on one page', async () => {
    await scene.client('operator').invite('grid', { owner: 'late', role: 'owner' });
    const { stdout } = await f3('show', 'grid');
    const { url } = scene.server;
    expect(stdout.startsWith(`federation grid at ${url}\n  classes       calm, storm\n`)).toBe(true);
    expect(stdout).toContain('\n  owners        3, 3 with a bundle\n  labels        version 1\n');
    expect(stdout).toContain(
      `\n  label holder  ${LABEL_HOLDER} (${SAMPLES} samples)\n  active model  2\n  workers       1\n`,
    );
    expect(stdout).toMatch(
      /\nowners\n {2}owner +bundle +samples +width +protected by +received \(UTC\)\n {2}owner-0 +1 +60 +4 +nothing +20/,
    );
    expect(stdout).toMatch(/\nmodels\n {2}model +state .*\n +2 +active .*\n +4 +candidate .*\n +5 +candidate .*\n/);
    expect(stdout).toMatch(/\n {2}… 2 older or former \(--all lists them\)\n/);
    expect(stdout).toMatch(/\nopen invitations\n.*\n.*late +owner/);
    expect(stdout).not.toMatch(/[0-9a-f]{64}/);
    expect(JSON.parse((await f3('show', 'grid', '--json')).stdout)).toMatchObject({
      name: 'grid',
      models: [{}, {}, {}, {}, {}],
    });
  });

  it('graph of a model without one says so', async () => {
    expect((await f3('train', 'grid', '--method', 'concatenation', '--epochs', '1', '--detach')).status).toBe(0);
    await expect.poll(async () => (await scene.client('operator').models('grid')).length).toBe(6);
    const none = await f3('graph', 'grid', '--model', '6');
    expect(none).toMatchObject({ status: 2, stdout: '' });
    expect(none.stderr).toContain('must have a graph between owners that is its own, got method concatenation');
    expect(none.stderr).toContain('[F3_MODEL_GRAPH]');
  });

  it('a refit without a split keeps the model’s, and with another is refused', async () => {
    const refused = await f3('train', 'grid', '--refit', 'owner-1', '--split', '2');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('[F3_MODEL_REFIT]');
    await scene.client('owner-1').upload('grid', 'bundle', encodeBundle(toyBundle(1, { samples: SAMPLES, seed: 8 })));
    const refit = ['train', 'grid', '--refit', 'owner-1', '--model', '2', '--epochs', '2', '--json'];
    const { model } = JSON.parse((await f3(...refit)).stdout);
    const cards = await Promise.all([2, model].map((version) => scene.client('operator').model('grid', version)));
    expect(cards[1].split).toEqual(cards[0].split);
    expect(cards[1].split).toMatchObject({ seed: 1 });
    expect(cards[1]).toMatchObject({ refitted: 'owner-1', validatedOn: cards[0].validatedOn });
  });

  it('predict tells how far the members of an ensemble are apart', async () => {
    const fits = ['--fits', '2', '--preset', 'graph', '--epochs', '2', '--hidden', '4', '--split', '1'];
    expect((await f3('train', 'grid', ...fits, '--promote', 'always')).status).toBe(0);
    const samples = join(dir, 'one.json');
    writeFileSync(samples, JSON.stringify({ samples: [{ id: 'a', embeddings: { 'owner-0': [1, 0, 0, 0] } }] }));
    const { stdout } = await f3('predict', 'grid', '--samples', samples);
    expect(stdout).toMatch(
      /^sample,class,p\(calm\),p\(storm\),owners,uncertainty\na,\w+,[\d.e-]+,[\d.e-]+,1,[\d.e-]+\n$/,
    );
  });
});

describe('f3 federation, on a coordinator without a worker', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data'), work: false });
  });
  afterAll(() => scene?.server.close());

  it('train says that it waits for a worker and how to start one', async () => {
    const { url, operatorKey } = scene.server;
    const args = ['federation', 'train', 'grid', '--epochs', '1', '--url', url, '--key', operatorKey];
    const detached = await startF3([...args, '--detach']);
    expect(detached.stderr).toContain('waiting for a worker: this coordinator has none; f3 serve without --no-work');
    const nobody = await startF3([...args, '--detach', '--without', 'owner-9']);
    expect(nobody).toMatchObject({ status: 2, stderr: expect.stringContaining('must name owners that have sent a') });
    expect((await startF3([...args, '--detach', '--without', 'owner-1'])).status).toBe(0);
    const { id } = await scene.client('operator').train('grid', {});
    expect(await scene.client('operator').training('grid', id)).toMatchObject({ state: 'queued', workers: 0 });
    const child = spawn(process.execPath, [MAIN, ...args]);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await expect.poll(() => said).toContain('waiting for a worker: this coordinator has none');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(said).toContain('no longer watching');
  });
});
