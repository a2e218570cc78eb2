// Profiles as people use them, against a real coordinator in a process of its own: log in once, then name nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoordinatorProcess } from '../support/coordinator-process.ts';
import { copyEmbeddedTemplate } from '../support/embedded-template.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { startF3 } from './start-f3.ts';

const pem = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));

describe('a person with a profile', () => {
  const dir = suiteDirectory();
  const home = join(dir, 'home');
  let coordinator: CoordinatorProcess;
  let url: string;
  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'data', 'database'));
    // Client certificates are asked for, so that a command which forgets the profile's would fail.
    const serve = ['--tls-cert', pem('server'), '--tls-key', pem('server-key'), '--tls-ca', pem('ca'), '--no-work'];
    coordinator = await CoordinatorProcess.start(join(dir, 'data'), { serve });
    url = coordinator.url;
  });
  afterAll(() => coordinator?.stop());

  const certificates = ['--tls-ca', pem('ca'), '--tls-cert', pem('client'), '--tls-key', pem('client-key')];
  const f3 = async (args: string[], env: Record<string, string> = {}, input = '') =>
    startF3(args, { env: { F3_HOME: home, ...env }, input });
  const done = async (args: string[], env: Record<string, string> = {}, input = '') => {
    const { status, stdout, stderr } = await f3(args, env, input);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it('logs in once with the key that the coordinator left, which is not copied', async () => {
    const stranger = await f3(['login', url, '--key', coordinator.operatorKey, '--tls-ca', pem('ca')]);
    expect(stranger).toMatchObject({ status: 2, stdout: '' });
    expect(stranger.stderr).toContain('got none [F3_AUTH_CERTIFICATE]');
    expect(existsSync(join(home, 'profiles.json'))).toBe(false);
    const said = await done(['login', url, '--key', coordinator.operatorKey, '--profile', 'ops', ...certificates]);
    expect(said).toMatch(/^profile ops: operator-[\w-]+ \(operator\) at https:.*\nit is in force from now on\n$/);
    const kept = readFileSync(join(home, 'profiles.json'), 'utf8');
    expect(kept).toContain(coordinator.operatorKey);
    const secret = JSON.parse(readFileSync(coordinator.operatorKey, 'utf8')).d;
    const [, certificateKey] = readFileSync(pem('client-key'), 'utf8').split('\n');
    for (const text of [secret, certificateKey]) expect(kept).not.toContain(text);
  });

  it('then names neither address nor key nor certificates', async () => {
    expect(await done(['federation', 'create', 'grid', '--classes', 'calm,storm'])).toContain(`grid at ${url}`);
    expect(await done(['federation', 'status', 'grid'])).toContain('federation grid');
    const nameless = await f3(['federation', 'status']);
    expect(nameless.stderr).toContain('federation: must be named, here, in F3_FEDERATION or in a profile [F3_OPTION]');
    expect(await done(['federation', 'status'], { F3_FEDERATION: 'grid' })).toContain('federation grid');
    await done(['login', url, '--key', coordinator.operatorKey, '--federation', 'grid', ...certificates]);
    expect(await done(['federation', 'status'])).toContain('federation grid');
    const unknown = await f3(['login', url, '--key', coordinator.operatorKey, '--federation', 'x', ...certificates]);
    expect(unknown.stderr).toContain('[F3_FEDERATION_UNKNOWN]');
  });

  it('joins with a code that no list of processes shows, and needs no profile for that', async () => {
    const invited = await done(['owner', 'invite', 'grid', 'north', '--json']);
    const own = join(dir, 'north');
    expect(await done(['owner', 'join', url, '--code', '-', '--home', own, ...certificates], {}, invited)).toContain(
      'joined federation grid',
    );
    expect(JSON.parse(await done(['federation', 'status', '--home', own, '--json']))).toMatchObject({ name: 'grid' });
    const bad = await f3(['owner', 'join', url, '--code', '-', ...certificates], {}, '{"x":1}');
    expect(bad.stderr).toContain('--code -: stdin must hold the code');
    // In the same home as the operator's profile: each command finds the one it is for.
    const code = JSON.parse(await done(['owner', 'invite', 'grid', 'south', '--json'])).code;
    await done(['owner', 'join', url, '--code', '-', ...certificates], {}, `${code}\n`);
    const push = await f3(['owner', 'push', join(dir, 'none.arrow')]);
    expect(push.stderr).toContain('none.arrow');
    expect(await done(['federation', 'audit'])).toMatch(/north +joined as owner/);
  });

  it('sees all of them and chooses, by flag, variable or for good', async () => {
    const key = join(home, `grid@${new URL(url).host.replace(':', '_')}`, 'key.json');
    const south = await done(['login', url, '--key', key, '--profile', 'south', ...certificates]);
    expect(south).toContain('profile south: south (owner) of grid');
    expect(await done(['profiles'])).toMatch(/^profile +coordinator .*\nops +https.*\ngrid +https.*\nsouth \* +https/);
    expect((await f3(['owner', 'invite', 'grid', 'x'])).stderr).toContain('[F3_AUTH_FORBIDDEN]');
    expect(await done(['owner', 'invite', 'grid', 'x', '--profile', 'ops'])).toContain('f3 owner join');
    expect(await done(['owner', 'invite', 'grid', 'y'], { F3_PROFILE: 'ops' })).toContain('f3 owner join');
    await done(['federation', 'create', 'road', '--profile', 'ops']);
    const invited = await done(['owner', 'invite', 'road', 'south', '--json', '--profile', 'ops']);
    const road = await f3(['owner', 'join', url, '--code', '-', ...certificates], {}, invited);
    expect(road.stderr).toBe(
      `profile south stays in force for owners; f3 login ${url} --federation road changes that\n`,
    );
    await done(['profiles', '--use', 'grid']);
    const { profiles, memberships } = JSON.parse(await done(['profiles', '--json']));
    expect(profiles.map(({ profile, current }: { profile: string; current: boolean }) => [profile, current])).toEqual([
      ['ops', false],
      ['grid', true],
      ['south', false],
    ]);
    expect(memberships).toMatchObject([{ federation: 'road', member: { owner: 'south' } }]);
    expect(await done(['federation', 'list', '--help'])).toContain(
      `In force here: profile grid: operator-${profiles[0].member.keyId.slice(0, 8)} (operator) at ${url}, federation grid.`,
    );
  });

  it('may do without a home: all in the environment', async () => {
    const tls = { F3_TLS_CA: pem('ca'), F3_TLS_CERT: pem('client'), F3_TLS_KEY: pem('client-key') };
    const env = { F3_HOME: join(dir, 'nothing'), F3_URL: url, F3_KEY: coordinator.operatorKey, ...tls };
    expect(await done(['federation', 'list'], env)).toContain('grid');
    const { F3_URL: _, ...without } = env;
    expect((await f3(['federation', 'list'], without)).stderr).toContain(
      'must be named with --url, F3_URL or a profile',
    );
    const asOwner = await f3(['owner', 'push', 'x.arrow'], env);
    expect(asOwner.stderr).toMatch(
      /member operator-[\w-]+: must have a role that does this, got operator \[F3_AUTH_FORBIDDEN/,
    );
    expect(existsSync(join(dir, 'nothing'))).toBe(false);
  });

  it('logs out: the profile goes, the key stays', async () => {
    expect(await done(['logout'])).toBe(`profile grid is forgotten; its key stays in ${coordinator.operatorKey}\n`);
    expect(await done(['logout', '--profile', 'ops'])).toContain('profile ops is forgotten');
    expect(existsSync(coordinator.operatorKey)).toBe(true);
    const again = await f3(['logout']);
    expect(again).toMatchObject({ status: 2, stdout: '' });
    expect(again.stderr).toContain('must have a profile in force, got none [F3_PROFILE]');
    expect((await f3(['federation', 'list', '--profile', 'ops'])).stderr).toContain(
      `profile ops: must exist in home ${home}, which has south [F3_PROFILE]`,
    );
  });
});
