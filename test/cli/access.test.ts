// Who may talk to a coordinator, as operators and owners see it on their command lines. The coordinator is real.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveKeyPair } from '../../src/exchange/identity/key-pair.ts';
import { FederationScene } from '../support/federation-scene.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { startF3 } from './start-f3.ts';

describe('on the command line', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
    for (const [member, keys] of scene.keys) saveKeyPair(join(dir, `${member}.json`), keys);
  });
  afterAll(() => scene?.server.close());

  /** As a member of the scene, whose key file and address are in the environment. */
  const as = (member: string, ...args: string[]) =>
    startF3(args, { env: { F3_URL: scene.server.url, F3_KEY: join(dir, `${member}.json`), F3_FEDERATION: 'grid' } });
  const done = async (member: string, ...args: string[]) => {
    const { status, stdout, stderr } = await as(member, ...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it('an operator sees who is invited and who holds the labels, and cancels a code', async () => {
    expect(await done('operator', 'federation', 'invitations')).toBe(
      'nobody is invited to federation grid who has not joined\n',
    );
    const { code } = JSON.parse(await done('operator', 'owner', 'invite', 'grid', 'plant-7', '--json'));
    await done('operator', 'owner', 'invite', 'grid', 'second-holder', '--role', 'labels');
    const status = await done('operator', 'federation', 'status');
    expect(status).toMatch(/^ {2}label holder {2}rosemary, sent version 1$/m);
    expect(status).toMatch(/^invitation +for +role +invited \(UTC\) +good until \(UTC\)$/m);
    expect(status).toMatch(/^[0-9a-f]{8} +plant-7 +owner +20\d\d-.*$/m);
    expect(status).toMatch(/^[0-9a-f]{8} +second-holder +label holder +20\d\d-.*$/m);
    expect(status).not.toContain(code);
    const { invitations } = JSON.parse(await done('operator', 'federation', 'invitations', '--json'));
    const { id } = invitations.find(({ owner }: { owner: string }) => owner === 'plant-7');
    expect(await done('operator', 'federation', 'invitations', '--cancel', id.slice(0, 8))).toBe(
      'the invitation of plant-7 (owner) to federation grid is cancelled\n',
    );
    const late = await startF3(['owner', 'join', scene.server.url, '--code', code, '--home', join(dir, 'late')]);
    expect(late).toMatchObject({ status: 2, stdout: '' });
    expect(late.stderr).toBe(
      'f3: enrolment code: must be new and valid, got one that the operator cancelled [F3_INVITATION_CANCELLED]\n',
    );
    const again = await as('operator', 'federation', 'invitations', '--cancel', id);
    expect(again.stderr).toContain(`one open invitation to grid must begin with "${id}", got none [F3_OPTION]`);
    expect((await as('operator', 'federation', 'invitations', '--cancel', '')).stderr).toContain(
      'got none [F3_OPTION]',
    );
    expect((await as('owner-0', 'federation', 'invitations')).stderr).toContain('[F3_AUTH_FORBIDDEN]');
    expect(await done('owner-0', 'federation', 'status')).not.toContain('rosemary');
  });
});
