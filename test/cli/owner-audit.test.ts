// `f3 owner audit` and the gate before `f3 owner push`, as an owner types them; the coordinator is a toy in this process.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joinFederation } from '../../src/exchange/client/join-federation.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { ToyCoordinator } from '../support/toy-coordinator.ts';
import { toyDataset } from '../support/toy-dataset.ts';
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

  it('gives the same figures again, as JSON', () => {
    const once = () => JSON.parse(runF3('owner', 'audit', data, '--owner', 'north', '--home', home, '--json').stdout);
    const [{ seconds: _a, ...first }] = once().audits;
    const [{ seconds: _b, ...second }] = once().audits;
    expect(second).toEqual(first);
    expect(first.recoveries).toHaveLength(6);
    expect(first.worst).toBeGreaterThan(0);
    expect(first.verdict[0]).toMatch(/^(High|Some|Low)/);
  });

  it.each([
    [['--owner', 'nobody'], 'F3_DATA_OWNER'],
    [['--owner', 'south'], 'F3_MODEL_FORMAT'],
    [['--owner', 'north', '--noise', '1'], 'F3_OPTION'],
    [[], 'F3_OPTION'],
  ])('refuses %j', (flags, code) => {
    const ran = runF3('owner', 'audit', data, ...flags, '--home', home);
    expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(code) });
  });
});
