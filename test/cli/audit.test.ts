// `f3 federation audit` as an operator and a third party use it: export, keep a head, check offline, find what was changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoordinatorProcess } from '../support/coordinator-process.ts';
import { copyEmbeddedTemplate } from '../support/embedded-template.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { runF3 } from './run-f3.ts';

describe('f3 federation audit', () => {
  const dir = suiteDirectory();
  const [log, kept, keys] = ['grid.audit', 'kept.json', 'keys.json'].map((name) => join(dir, name));
  let coordinator: CoordinatorProcess;
  const audit = (...args: string[]) =>
    runF3('federation', 'audit', ...args, '--url', coordinator.url, '--key', coordinator.operatorKey);
  /** Without a coordinator. */
  const verify = (...args: string[]) => runF3('federation', 'audit', '--verify', ...args);

  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'data', 'database'));
    coordinator = await CoordinatorProcess.start(join(dir, 'data'), { serve: ['--no-work'] });
    const at = ['--url', coordinator.url, '--key', coordinator.operatorKey];
    expect(runF3('federation', 'create', 'grid', ...at).status).toBe(0);
    for (const owner of ['plant-1', 'plant-2', 'plant-3']) {
      expect(runF3('owner', 'invite', 'grid', owner, ...at).status).toBe(0);
    }
  });
  afterAll(() => coordinator?.kill());

  it('writes the log, a head and the keys', () => {
    const head = audit('grid', '--head');
    expect(JSON.parse(head.stdout)).toMatchObject({ federation: 'grid', count: 4 });
    writeFileSync(kept, head.stdout);
    writeFileSync(keys, audit('grid', '--keys').stdout);
    expect(audit('grid', '--export', log)).toMatchObject({ status: 0, stdout: `4 entries in ${log}\n` });
    expect(audit('grid', '--export', log).stderr).toMatch(/must not exist yet; --force replaces it/);
    expect(audit('grid', '--verify')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('nothing was changed'),
    });
    expect(audit('--server', '--verify').stdout).toMatch(/^the coordinator's own log: \d+ entries/);
    expect(audit('grid', '--verbose').stdout).toMatch(/127\.0\.0\.1/);
    expect(audit('grid', '--server').stderr).toMatch(/--server: must come without a federation/);
  });

  it('is checked without a coordinator, by its key and a head that was kept', () => {
    const sound = verify(log, '--audit-key', keys, '--kept-head', kept);
    expect(sound).toMatchObject({ status: 0, stderr: '' });
    expect(sound.stdout).toMatch(/4 entries, \d+ signed heads? by key [\w-]{43}/);
    const { keyId } = JSON.parse(readFileSync(kept, 'utf8')) as { keyId: string };
    expect(verify(log, '--audit-key', keyId).status).toBe(0);
    // An id begins with a dash one time in 64.
    for (const id of ['x'.repeat(43), `-${'x'.repeat(42)}`]) {
      expect(verify(log, '--audit-key', id)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('F3_AUDIT_CHANGED'),
      });
    }
  });

  it('says which entry was changed, and that the end was cut off', () => {
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    const [changed, cut] = ['changed.audit', 'cut.audit'].map((name) => join(dir, name));
    writeFileSync(changed, lines.join('\n').replace('plant-2', 'plant-9'));
    expect(verify(changed)).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('entry 3: was changed'),
      stderr: expect.stringContaining('must be as the coordinator wrote it, got one change [F3_AUDIT_CHANGED]'),
    });
    // Whoever cuts the log and its heads is caught by the head that was kept.
    writeFileSync(cut, lines.filter((line) => !line.includes('plant-3') && !line.includes('"count":4')).join('\n'));
    expect(verify(cut).status).toBe(0);
    expect(verify(cut, '--kept-head', kept).stdout).toContain('entry 4: is missing at the end');
  });

  it('refuses what is no log', () => {
    expect(verify(join(dir, 'nowhere')).stderr).toMatch(/got no such file/);
    expect(verify(kept).stderr).toMatch(/F3_AUDIT_FILE/);
    expect(verify(log, '--kept-head', log).stderr).toMatch(/must hold signed heads/);
    expect(verify(log, '--audit-key', log).stderr).toMatch(/F3_AUDIT_FILE/);
  });
});
