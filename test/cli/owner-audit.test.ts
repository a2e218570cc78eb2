// `f3 owner audit` and the gate before `f3 owner push`, as an owner types them; the coordinator is a toy in this process.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeBundle } from '../../src/exchange/bundle/bundle-file.ts';
import { joinFederation } from '../../src/exchange/client/join-federation.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundle } from '../support/toy-bundles.ts';
import { ToyCoordinator } from '../support/toy-coordinator.ts';
import { toyDataset } from '../support/toy-dataset.ts';
import { writeFloatNpy } from '../support/write-npy.ts';
import { runF3 } from './run-f3.ts';
import { startF3 } from './start-f3.ts';

const dir = suiteDirectory();
const home = join(dir, 'home');
const coordinator = new ToyCoordinator();
let data: string;
let bundle: string;

beforeAll(async () => {
  data = await toyDataset(dir, 60);
  const quick = ['--width', '6', '--epochs', '2', '--batch', '16', '--normalise', 'z-score'];
  expect(runF3('owner', 'train', data, '--owner', 'north', ...quick)).toMatchObject({ status: 0 });
  const out = join(dir, 'bundles');
  expect(runF3('owner', 'embed', data, '--owner', 'north', '--out', out)).toMatchObject({ status: 0 });
  bundle = join(out, 'north.arrow');
  const url = `http://127.0.0.1:${await coordinator.listen()}`;
  await joinFederation({ home, url, code: coordinator.invite('north') });
});
afterAll(() => coordinator.close());
beforeEach(() => {
  coordinator.seen.length = 0;
});

const push = (...flags: string[]) => startF3(['owner', 'push', bundle, '--home', home, ...flags]);

describe('an owner’s gate', () => {
  it('refuses a model that was not audited, once there is a limit, and nothing is sent', async () => {
    const ran = await push('--max-recovery', '0.5');
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_LEAK_LIMIT') });
    expect(ran.stderr).toContain('--audit-data');
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('audits by itself when it knows the data, and refuses what gives away more than the limit', async () => {
    const ran = await push('--audit-data', data, '--max-recovery', '0.000001');
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('by its audit') });
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('lets pass what keeps to the limit, and what the owner sends all the same', async () => {
    expect(await push('--max-recovery', '1')).toMatchObject({ status: 0 });
    expect(await push('--max-recovery', '0.000001', '--despite-audit')).toMatchObject({ status: 0 });
    expect(await push()).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_LEAK_LIMIT') });
  });
});

describe('the gate before live samples', () => {
  const stream = (...flags: string[]) =>
    startF3(['owner', 'stream', join(data, 'owners', 'north'), '--home', home, '--samples', 's0000', ...flags]);

  it('is the same: what may not be pushed may not be streamed', async () => {
    const ran = await stream();
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_LEAK_LIMIT') });
    expect(coordinator.paths('POST')).toEqual([]);
    const other = await stream('--clip', '2', '--noise', '5', '--max-recovery', '0');
    expect(other.stderr).toContain('auditing owner north'); // the data set that was named before is remembered
    expect(coordinator.paths('POST')).toEqual([]);
  });
});

describe('f3 owner audit', () => {
  it('says what embeddings give away, in words first, and writes a page', () => {
    const report = join(dir, 'report');
    const ran = runF3('owner', 'audit', data, '--owner', 'north', '--home', home, '--report', report);
    expect(ran.status).toBe(0);
    expect(ran.stdout).toMatch(/owner north: 6 numbers for windows of \d+, 60 samples/);
    expect(ran.stdout).toMatch(/(High|Some|Low): /);
    expect(ran.stdout).toContain('guessing the mean errs by');
    expect(readFileSync(join(report, 'report.html'), 'utf8')).toContain('True and recovered windows');
    expect(existsSync(join(report, 'windows.svg'))).toBe(true);
  });

  it('audits a bundle with readings from a file, and its page has the command that was typed', async () => {
    const own = toyBundle(0, { samples: 60 });
    const [file, windows, report] = ['own.arrow', 'own windows.npy', 'report-own'].map((name) => join(dir, name));
    writeBundle(file, own);
    writeFileSync(windows, writeFloatNpy([...own.embeddings], 4));
    const flags = ['--bundle', file, '--windows', windows, '--home', home, '--report', report];
    expect(runF3('owner', 'audit', ...flags)).toMatchObject({ status: 0 });
    const page = readFileSync(join(report, 'report.md'), 'utf8');
    expect(page).toContain(
      `f3 owner audit --bundle ${file} --windows '${windows}' --home ${home} --report ${report}\n`,
    );
    expect(page).not.toMatch(/DIR|trained on/);
  });

  it('gives the same figures again, as JSON', () => {
    const once = () => JSON.parse(runF3('owner', 'audit', data, '--owner', 'north', '--home', home, '--json').stdout);
    const [{ seconds: _a, ...first }] = once().audits;
    const [{ seconds: _b, ...second }] = once().audits;
    expect(second).toEqual(first);
    expect(first.recoveries).toHaveLength(6);
    expect(first.worst).toBeGreaterThan(0);
    expect(first.verdict[0]).toMatch(/^(High|Some|Low)/);
  });

  it('guesses attributes from a table, those that were asked for', () => {
    const file = join(dir, 'attributes.csv');
    const rows = Array.from(
      { length: 60 },
      (_, i) => `s${String(i).padStart(4, '0')},${i % 2 ? 'odd' : 'even'},${i},same`,
    );
    writeFileSync(file, `sample,parity,number,constant\n${rows.join('\n')}\n`);
    const audit = (...flags: string[]) =>
      runF3('owner', 'audit', data, '--owner', 'north', '--home', home, '--attributes', file, ...flags);
    const ran = audit('--attribute', 'parity', 'number');
    expect(ran.stdout).toMatch(/parity +2 /);
    expect(ran.stdout).toMatch(/number +4 /);
    expect(audit()).toMatchObject({ status: 2, stderr: expect.stringContaining('attribute constant: must have two') });
    expect(audit('--attribute', 'shoe')).toMatchObject({ status: 2, stderr: expect.stringContaining('got shoe') });
  });

  it.each([
    [['--owner', 'north', '--attribute', 'age'], 'F3_OPTION'],
    [['--owner', 'north', '--attributes', 'none.csv'], 'F3_DATA_UNREADABLE'],
    [['--all', '--onnx', 'model.onnx'], 'F3_OPTION'],
    [['--owner', 'north', '--onnx', 'none.onnx'], 'F3_ONNX'],
    [['--owner', 'nobody'], 'F3_DATA_OWNER'],
    [['--owner', 'south'], 'F3_MODEL_FORMAT'],
    [['--owner', 'north', '--noise', '1'], 'F3_OPTION'],
    [[], 'F3_OPTION'],
  ])('refuses %j', (flags, code) => {
    const ran = runF3('owner', 'audit', data, ...flags, '--home', home);
    expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(code) });
  });
});

// The last one, because it trains the owner's model anew.
describe('what we advise to owners whose readings must not be told', () => {
  const made = (name: string, ...flags: string[]) => {
    const quick = ['--epochs', '2', '--batch', '16', '--force'];
    expect(runF3('owner', 'train', data, '--owner', 'north', ...flags, ...quick)).toMatchObject({ status: 0 });
    const out = join(dir, name);
    expect(runF3('owner', 'embed', data, '--owner', 'north', '--out', out)).toMatchObject({ status: 0 });
    return join(out, 'north.arrow');
  };

  it('is an answer in the place of an embedding, or a narrow model with noise; what was done is stated', async () => {
    const answers = made('answers', '--preset', 'private');
    expect(runF3('bundle', 'check', answers).stdout).toMatch(/answers in \d+ levels?/);
    const narrow = made('narrow', '--bottleneck', '4');
    const send = (file: string, ...flags: string[]) =>
      startF3(['owner', 'push', file, '--home', home, '--new-width', '--despite-audit', ...flags]);
    const refused = await send(bundle, '--private');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('needs embeddings from a bottleneck') });
    expect(await send(answers, '--private')).toMatchObject({ stderr: expect.stringContaining('rounded answers') });
    expect(await send(narrow, '--private', '--clip', '1')).toMatchObject({ status: 2 });
    expect(coordinator.paths('POST')).toEqual([]);
    const sent = await send(narrow, '--private', '--json');
    expect(sent).toMatchObject({ status: 0 });
    expect(JSON.parse(sent.stdout).privacy.epsilon).toBeLessThanOrEqual(40);
  });
});
