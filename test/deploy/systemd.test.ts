// deploy/*.service: accepted by systemd itself where there is one, and their command lines run.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  commandFolder,
  DeployedProcess,
  environment,
  isHealthy,
  type Places,
  placed,
} from '../support/deployed-process.ts';
import { copyEmbeddedTemplate } from '../support/embedded-template.ts';
import { freePorts } from '../support/free-ports.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../support/postgres-server.ts';
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { unless } from '../support/unless.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const UNITS = ['f3.service', 'f3-worker@.service'];
const DROP_IN = 'f3-postgres.conf';

/** The last value of a key that is not empty: an empty one clears what stood before. */
function setting(file: string, key: string): string {
  const values = readFileSync(join(DEPLOY, file), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));
  return values.at(-1) ?? '';
}

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const noSystemd = hasSystemd ? '' : 'systemd-analyze is not on this machine';

describe('systemd-analyze', unless(noSystemd), () => {
  const verify = (...files: string[]) => spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });

  test('accepts the units', () => {
    const { status, stdout, stderr } = verify(...UNITS.map((unit) => join(DEPLOY, unit)));
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('accepts the coordinator on PostgreSQL, and would not accept a mistake', () => {
    const dir = temporaryDirectory();
    copyFileSync(join(DEPLOY, 'f3.service'), join(dir, 'f3.service'));
    mkdirSync(join(dir, 'f3.service.d'));
    const conf = join(dir, 'f3.service.d', DROP_IN);
    copyFileSync(join(DEPLOY, DROP_IN), conf);
    const { status, stderr } = verify(join(dir, 'f3.service'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    writeFileSync(conf, readFileSync(conf, 'utf8').replace('/usr/bin/env', '/no/such/program'));
    expect(verify(join(dir, 'f3.service'))).toMatchObject({ status: 1 });
  });

  test('finds little that the units expose', () => {
    for (const unit of UNITS) {
      const path = join(DEPLOY, unit);
      const text = execFileSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' });
      const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(text) ?? [];
      expect(Number(level), unit).toBeLessThan(5);
    }
  });
});

describe('the units', () => {
  test.each(UNITS)('%s runs as a user of its own, is started again, and has time to end', (unit) => {
    expect(setting(unit, 'User')).toBe('f3');
    expect(setting(unit, 'Restart')).toBe('always');
    expect(setting(unit, 'TimeoutStopSec')).toBe('60');
  });

  test('show no secret in the process list', () => {
    for (const file of [...UNITS, DROP_IN]) expect(setting(file, 'ExecStart')).not.toMatch(/:\/\/[^@/ ]*:[^@/ ]*@/);
  });

  test('the drop-in adds a database and nothing else', () => {
    const plain = setting('f3.service', 'ExecStart').split(' ');
    const words = setting(DROP_IN, 'ExecStart').split(' ');
    expect(words.slice(0, plain.length)).toEqual(plain);
    const added = words.slice(plain.length).filter((word) => word.startsWith('--'));
    expect(added).toEqual(['--database', '--database-password-file', '--no-work']);
  });
});

const missing = await postgresMissing();

describe('their command lines', () => {
  const dir = suiteDirectory();
  const commands = environment(commandFolder(dir));
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    if (!missing) postgres = await startPostgres({ asksPassword: true });
    for (const name of ['server', 'server-key']) {
      copyFileSync(fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url)), join(dir, `${name}.pem`));
    }
  });
  afterAll(() => postgres?.stop());

  /** systemd sets the two folders in the environment and fills them in, word by word. */
  function start(file: string, places: Places): DeployedProcess {
    const words = setting(file, 'ExecStart').split(' ');
    return new DeployedProcess(
      words.map((word) => placed(word, places)),
      commands,
    );
  }

  const folders = async (name: string): Promise<Places> => ({
    '${STATE_DIRECTORY}': join(dir, name),
    '${CREDENTIALS_DIRECTORY}': dir,
    '0.0.0.0': '127.0.0.1',
    '7700': String((await freePorts(1))[0]),
  });

  const HEALTH = ['CMD', 'node', '/opt/f3/deploy/healthcheck.mjs', 'https://127.0.0.1:7700/readyz'];

  test('start a coordinator that speaks TLS and ends in good order', async () => {
    const places = await folders('embedded');
    await copyEmbeddedTemplate(join(dir, 'embedded', 'database'));
    const coordinator = start('f3.service', places);
    await coordinator.until(() => isHealthy(HEALTH, places));
    expect(await coordinator.end(), coordinator.said).toBe(0);
  });

  test('start a coordinator and a worker on PostgreSQL', unless(missing), async () => {
    const url = new URL((await postgres?.createDatabase()) ?? '');
    writeFileSync(join(dir, 'database-password'), url.password);
    const places = { ...(await folders('shared')), '127.0.0.1:5432/f3': `${url.host}${url.pathname}` };
    const coordinator = start(DROP_IN, places);
    await coordinator.until(() => isHealthy(HEALTH, places));
    const worker = start('f3-worker@.service', places);
    await worker.until(() => worker.said.includes('waiting for trainings'));
    expect(await worker.end(), worker.said).toBe(0);
    expect(await coordinator.end(), coordinator.said).toBe(0);
  });
});
