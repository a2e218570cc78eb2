import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { type Profile, saveProfile, useProfile } from '../../exchange/identity/profiles.ts';
import { inForce, inForceText, type Rank } from './in-force.ts';

const operator: Profile = {
  url: 'https://a.example',
  federation: 'grid',
  member: { federation: null, owner: 'ops', role: 'operator', keyId: 'k' },
  key: '/ops.json',
  tls: { ca: '/a-ca.pem', cert: '/a.pem', key: '/a-key.pem' },
};
const owner: Profile = {
  url: 'https://b.example',
  member: { federation: 'heat', owner: 'north', role: 'owner', keyId: 'n' },
  key: '/north.json',
};
const owners: Rank = ({ role }) => (role === 'owner' ? 0 : -1);

let home: string;
beforeEach(() => {
  home = temporaryDirectory();
  saveProfile(home, 'north', owner);
  saveProfile(home, 'ops', operator);
});

describe('what is in force', () => {
  it('is the current profile, with its certificates', () => {
    expect(inForce({ home }, undefined, {})).toEqual({
      home,
      url: operator.url,
      federation: 'grid',
      key: '/ops.json',
      member: operator.member,
      profile: 'ops',
      tlsCa: '/a-ca.pem',
      tlsCert: '/a.pem',
      tlsKey: '/a-key.pem',
    });
  });

  it('is the environment before the profile, and a flag before the environment', () => {
    const env = { F3_URL: 'https://a.example', F3_KEY: '/env.json', F3_FEDERATION: 'road', F3_TLS_CA: '/env-ca.pem' };
    const found = inForce({ home, federation: 'sea' }, undefined, env);
    expect(found).toMatchObject({
      url: 'https://a.example',
      key: '/env.json',
      federation: 'sea',
      tlsCa: '/env-ca.pem',
    });
    expect(found.member).toBeUndefined(); // it is another key
    expect(inForce({ home, key: '/flag.json' }, undefined, env)).toMatchObject({
      key: '/flag.json',
      federation: 'road',
    });
    expect(inForce({ home }, undefined, { F3_URL: '', F3_KEY: '' })).toMatchObject({
      profile: 'ops',
      key: '/ops.json',
    });
  });

  it('is a profile that was named before the environment, if a flag named it', () => {
    const env = { F3_URL: 'https://c.example', F3_KEY: '/env.json' };
    expect(inForce({ home, profile: 'north' }, undefined, env)).toMatchObject({ url: owner.url, key: '/north.json' });
    expect(inForce({ home }, undefined, { F3_PROFILE: 'north' })).toMatchObject({
      profile: 'north',
      federation: 'heat',
    });
    expect(inForce({ home, profile: 'ops' }, undefined, { F3_PROFILE: 'north' })).toMatchObject({ profile: 'ops' });
  });

  it('is never a key or a certificate of one coordinator for another', () => {
    expect(inForce({ home, url: 'https://c.example' }, undefined, {})).toEqual({ home, url: 'https://c.example' });
    const pair = { tlsCert: '/own.pem', tlsKey: '/own-key.pem' };
    expect(inForce({ home, ...pair }, undefined, {})).toMatchObject({ tlsCa: '/a-ca.pem', ...pair });
    // Half a pair stays half: it is refused when the files are read.
    expect(inForce({ home, tlsCert: '/own.pem' }, undefined, {})).not.toHaveProperty('tlsKey');
  });

  it('passes over the current profile where its role or federation does not fit, and says so of a named one', () => {
    expect(inForce({ home }, owners, {})).toEqual({ home });
    expect(() => inForce({ home, profile: 'ops' }, owners, {})).toThrow(
      'profile ops: must have another role for this, got operator',
    );
    useProfile(home, 'north');
    expect(inForce({ home, federation: 'grid' }, undefined, {})).toEqual({ home, federation: 'grid' });
    expect(() => inForce({ home, federation: 'grid' }, undefined, { F3_PROFILE: 'north' })).toThrow(
      'profile north: is of federation heat, got grid',
    );
    expect(() => inForce({ home, profile: 'north', url: 'https://a.example' }, undefined, {})).toThrow(
      'profile north: is for https://b.example, got https://a.example',
    );
    expect(() => inForce({ home, profile: 'none' }, undefined, {})).toThrow('profile none: must exist');
  });
});

describe('in words', () => {
  it('names the profile, the key or the only membership', () => {
    expect(inForceText({ home }, {})).toBe('profile ops: ops (operator) at https://a.example, federation grid');
    expect(inForceText({ home }, { F3_KEY: '/k.json', F3_URL: 'https://c.example' })).toBe(
      'key /k.json at https://c.example',
    );
    const empty = temporaryDirectory();
    expect(inForceText({ home: empty }, {})).toBe('nothing yet: f3 login or f3 owner join');
    const membership = { url: 'http://a', federation: 'grid', owner: 'north', role: 'labels', keyId: 'k' };
    mkdirSync(join(empty, 'grid@a'));
    writeFileSync(join(empty, 'grid@a', 'membership.json'), JSON.stringify(membership));
    expect(inForceText({ home: empty }, {})).toBe('the only membership: north (label holder) of grid at http://a');
    mkdirSync(join(empty, 'road@a'));
    writeFileSync(join(empty, 'road@a', 'membership.json'), JSON.stringify({ ...membership, federation: 'road' }));
    expect(inForceText({ home: empty }, {})).toBe('nothing yet, 2 memberships fit: f3 login chooses one');
  });

  it('says what is wrong instead of failing', () => {
    writeFileSync(join(home, 'profiles.json'), 'x');
    expect(inForceText({ home }, {})).toContain('nothing: ');
    expect(inForceText({ home: temporaryDirectory(), profile: 'x' }, {})).toContain('nothing: profile x: must exist');
  });
});
