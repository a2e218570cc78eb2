import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { ToyCoordinator } from '../../../test/support/toy-coordinator.ts';
import { chooseMembership, homeFolder, listMemberships } from '../identity/home.ts';
import { loadKeyPair } from '../identity/key-pair.ts';
import { joinFederation } from './join-federation.ts';

let coordinator: ToyCoordinator;
let port: number;
let url: string;
const clock = { now: () => new Date(), sleep: async () => {}, random: () => 0 };
beforeEach(async () => {
  coordinator = new ToyCoordinator();
  port = await coordinator.listen();
  url = `http://127.0.0.1:${port}`;
});
afterEach(() => coordinator.close());

const join1 = (home: string, code: string) => joinFederation({ home, url, code, clock });

describe('joining', () => {
  test('leaves a key that only we can read and what the coordinator said', async () => {
    const home = join(temporaryDirectory(), 'new', 'home');
    const joined = await join1(home, coordinator.invite('north'));
    expect(readdirSync(home)).toEqual([`grid@127.0.0.1_${port}`]);
    const { id } = await loadKeyPair(join(joined.folder, 'key.json'));
    expect([...coordinator.members.keys()]).toEqual([id]);
    expect(JSON.parse(readFileSync(join(joined.folder, 'membership.json'), 'utf8'))).toEqual({
      url,
      federation: 'grid',
      owner: 'north',
      role: 'owner',
      keyId: id,
    });
    expect(statSync(home).mode & 0o077).toBe(0);
  });

  test('offers the same key again when the answer was lost', async () => {
    const home = temporaryDirectory();
    const code = coordinator.invite('north');
    coordinator.fault = () => 'lose answer';
    coordinator.route = () => ({ federation: 'grid', owner: 'north', role: 'owner', keyId: 'x' });
    await expect(join1(home, code)).rejects.toMatchObject({ code: 'F3_CLIENT_UNREACHABLE' });
    expect(listMemberships(home)).toEqual([]);
    coordinator.fault = () => undefined;
    coordinator.route = () => undefined;
    const { keyId } = await join1(home, code);
    const offered = coordinator.seen.map(({ body }) => JSON.parse(body.toString()).publicKey.x);
    expect(new Set(offered).size).toBe(1);
    expect((await loadKeyPair(join(home, `grid@127.0.0.1_${port}`, 'key.json'))).id).toBe(keyId);
  });

  test('never replaces a membership, and says where the new one is', async () => {
    const home = temporaryDirectory();
    const first = await join1(home, coordinator.invite('north'));
    const key = readFileSync(join(first.folder, 'key.json'));
    await expect(join1(home, coordinator.invite('north'))).rejects.toMatchObject({
      code: 'F3_HOME',
      message: expect.stringContaining('must not exist, got another membership'),
    });
    expect(readFileSync(join(first.folder, 'key.json'))).toEqual(key);
    expect(readdirSync(home).filter((name) => name.startsWith('.joining-'))).toHaveLength(1);
  });

  test('that is refused leaves nothing behind', async () => {
    const home = temporaryDirectory();
    await expect(join1(home, 'wrong')).rejects.toMatchObject({ code: 'F3_AUTH_TOKEN' });
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    { federation: '../../etc', owner: 'north' },
    { federation: 'Grid', owner: 'north' },
    { federation: '', owner: 'north' },
    { federation: 'grid', owner: '../x' },
    { federation: 'grid', owner: 'north', keyId: 'x' },
  ])('does not believe a coordinator that answers %o', async (answer) => {
    const home = join(temporaryDirectory(), 'home');
    coordinator.route = () => ({ role: 'owner', keyId: [...coordinator.members.keys()][0] ?? 'x', ...answer });
    await expect(join1(home, coordinator.invite('north'))).rejects.toMatchObject({ code: 'F3_CLIENT_RESPONSE' });
    expect(listMemberships(home)).toEqual([]);
    expect(existsSync(join(home, '..', 'etc'))).toBe(false);
  });

  test('as the operator of the server is of no federation', async () => {
    const { folder, federation } = await join1(temporaryDirectory(), coordinator.invite('ops', 'operator', null));
    expect(federation).toBeNull();
    expect(folder).toContain('_operator@127.0.0.1');
  });
});

describe('choosing a membership', () => {
  const folderOf = (...members: { federation: string | null; role: string; url?: string }[]) => {
    const home = temporaryDirectory();
    for (const [i, { url = 'http://a', ...member }] of members.entries()) {
      mkdirSync(join(home, String(i)));
      const content = { url, owner: 'north', keyId: 'k', ...member };
      writeFileSync(join(home, String(i), 'membership.json'), JSON.stringify(content));
    }
    return home;
  };

  test('takes the only one that fits', () => {
    const home = folderOf({ federation: 'grid', role: 'owner' }, { federation: 'road', role: 'owner' });
    expect(chooseMembership(home, { federation: 'road' })).toMatchObject({ federation: 'road' });
    expect(() => chooseMembership(home, {})).toThrow(
      'must leave one membership, got grid at http://a, road at http://a',
    );
    expect(() => chooseMembership(home, { federation: 'sea' })).toThrow(
      'must hold a membership of federation sea, got none',
    );
    expect(() => chooseMembership(join(home, 'none'), {})).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
  });

  test('tells coordinators apart by address', () => {
    const home = folderOf(
      { federation: 'grid', role: 'owner' },
      { federation: 'grid', role: 'owner', url: 'http://b' },
    );
    expect(chooseMembership(home, { url: 'http://b/' })).toMatchObject({ url: 'http://b' });
    expect(() => chooseMembership(home, { url: 'b' })).toThrow(expect.objectContaining({ code: 'F3_ARGUMENT' }));
  });

  test('prefers the higher rank and never takes one below 0', () => {
    const home = folderOf({ federation: 'grid', role: 'owner' }, { federation: null, role: 'operator' });
    const byRole =
      (wanted: string) =>
      ({ role }: { role: string }) =>
        role === wanted ? 1 : -1;
    expect(chooseMembership(home, { rank: byRole('operator') })).toMatchObject({ federation: null });
    expect(chooseMembership(home, { rank: byRole('owner') })).toMatchObject({ federation: 'grid' });
    expect(() => chooseMembership(home, { rank: byRole('labels') })).toThrow('got none that fits');
  });

  test('refuses a file that is none', () => {
    const home = folderOf({ federation: '../x', role: 'owner' });
    expect(() => chooseMembership(home, {})).toThrow('must be what f3 owner join wrote');
  });
});

test('the home folder is the option’s, F3_HOME’s or in the user’s configuration', () => {
  const before = process.env.F3_HOME;
  process.env.F3_HOME = '/somewhere';
  expect([homeFolder('/here'), homeFolder()]).toEqual(['/here', '/somewhere']);
  delete process.env.F3_HOME;
  expect(homeFolder()).toMatch(/[\\/]\.config[\\/]f3$/);
  if (before !== undefined) process.env.F3_HOME = before;
});
