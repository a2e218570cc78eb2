import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { defaultProfileName, type Profile, readProfiles, removeProfile, saveProfile, useProfile } from './profiles.ts';

const operator: Profile = {
  url: 'https://coordinator.example',
  member: { federation: null, owner: 'ops', role: 'operator', keyId: 'k' },
  key: '/var/lib/f3/operator-key.json',
  tls: { ca: '/etc/ca.pem' },
};
const owner: Profile = {
  url: 'http://127.0.0.1:7700',
  federation: 'grid',
  member: { federation: 'grid', owner: 'north', role: 'owner', keyId: 'n' },
  key: '/home/north/key.json',
};

test('the last one that was saved counts, until another is chosen or it is removed', () => {
  const home = join(temporaryDirectory(), 'new');
  expect(readProfiles(home)).toEqual({ current: null, named: {} });
  expect(existsSync(home)).toBe(false);
  saveProfile(home, 'ops', operator);
  saveProfile(home, 'north', owner);
  expect(readProfiles(home)).toEqual({ current: 'north', named: { ops: operator, north: owner } });
  expect(useProfile(home, 'ops')).toEqual(operator);
  expect(readProfiles(home).current).toBe('ops');
  expect(removeProfile(home, 'ops')).toEqual(operator);
  expect(readProfiles(home)).toEqual({ current: null, named: { north: owner } });
});

test('a name stands for one coordinator', () => {
  const home = temporaryDirectory();
  saveProfile(home, 'grid', owner);
  saveProfile(home, 'grid', { ...owner, key: '/elsewhere/key.json' });
  expect(readProfiles(home).named.grid.key).toBe('/elsewhere/key.json');
  expect(() => saveProfile(home, 'grid', operator)).toThrow(
    'profile grid: name must be free, got one that stands for http://127.0.0.1:7700',
  );
});

test.each(['', '.', '../x', 'a b', '-x', 'x'.repeat(61)])('%j names no profile', (name) => {
  const home = temporaryDirectory();
  expect(() => saveProfile(home, name, owner)).toThrow(
    expect.objectContaining({ code: 'F3_PROFILE', message: expect.stringContaining('must be 1 to 60 letters') }),
  );
});

test('an unknown one is refused with those that there are', () => {
  const home = temporaryDirectory();
  expect(() => useProfile(home, 'x')).toThrow(`profile x: must exist in home ${home}, which has none`);
  saveProfile(home, 'grid', owner);
  expect(() => removeProfile(home, '__proto__')).toThrow('profile __proto__: must exist in home');
  expect(() => removeProfile(home, 'x')).toThrow('which has grid');
});

test.each([
  'no JSON',
  'null',
  '{"current":"x","named":{}}',
  '{"current":null,"named":{"x":{"url":"http://a","key":"/k"}}}',
  '{"current":null,"named":{"x":null}}',
])('a file that says %s is refused, not used', (text) => {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'profiles.json'), text);
  expect(() => readProfiles(home)).toThrow(expect.objectContaining({ code: 'F3_PROFILE' }));
  expect(() => saveProfile(home, 'grid', owner)).toThrow('must be what f3 login wrote');
  expect(readFileSync(join(home, 'profiles.json'), 'utf8')).toBe(text);
});

test('a profile without a name gets the federation’s, else the host’s', () => {
  expect(defaultProfileName(owner)).toBe('grid');
  expect(defaultProfileName(operator)).toBe('coordinator.example');
  expect(defaultProfileName({ ...operator, url: 'http://127.0.0.1:7700' })).toBe('127.0.0.1-7700');
  expect(defaultProfileName({ ...operator, url: 'http://[::1]:7700' })).toBe('1-7700');
});
