// What an operator sees of trainings and models, as real processes against a real coordinator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene } from '../support/federation-scene.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
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
  const GOOD = ['--epochs', '60', '--hidden', '4', '--split', '1', '--owner-dropout', '0'];

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
          'model 2 answers from now on: validation loss 0\\.\\d{4} is below 0\\.\\d{4} of model 1, and its ROC AUC .*',
          'f3 federation activate grid 1 goes back to model 1',
          '$',
        ].join('\\n'),
      ),
    );
    const worse = await f3('train', 'grid', '--epochs', '1', '--hidden', '4', '--lr', '0.00000001', '--split', '1');
    expect(worse.stdout).toMatch(
      /\nmodel 3 is a candidate, model 2 answers as before: validation loss .* is not below .* of model 2\n/,
    );
    expect(worse.stdout).toContain('\nf3 federation promote grid 3 lets it answer\n');
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

  it('a refit without a split keeps the model’s, and with another is refused', async () => {
    const refused = await f3('train', 'grid', '--refit', 'owner-1', '--split', '2');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('[F3_MODEL_REFIT]');
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
    const { id } = await scene.client('operator').train('grid', {});
    expect(await scene.client('operator').training('grid', id)).toMatchObject({ state: 'queued', workers: 0 });
    const child = spawn(process.execPath, [MAIN, ...args]);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await expect.poll(() => said, { timeout: 60_000 }).toContain('waiting for a worker: this coordinator has none');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(said).toContain('no longer watching');
  });
});
