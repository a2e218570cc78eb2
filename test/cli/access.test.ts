// Who may talk to a coordinator, as operators and owners see it on their command lines. The coordinator is real.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleHash, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { listMemberships } from '../../src/exchange/identity/home.ts';
import { saveKeyPair } from '../../src/exchange/identity/key-pair.ts';
import { FederationScene, SAMPLES, WIDTH } from '../support/federation-scene.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundle } from '../support/toy-bundles.ts';
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

  it('an owner sees what the coordinator holds of it, and whether the active model knows it', async () => {
    const status = await done('owner-0', 'owner', 'status');
    expect(status).toMatch(/^owner-0 \(owner\) of grid\n {2}coordinator {3}http:/);
    expect(status).toMatch(/^ {2}active model {2}1, which learned from version 1 that counts$/m);
    expect(status).toMatch(
      /^version +sent \(UTC\) +samples +width +protected by +size +counts +learned from by model +needed by training$/m,
    );
    expect(status).toMatch(/^ +1 +20\d\d-.* +60 +4 +nothing +\d+\.\d kB +yes +1 +–$/m);
    expect(status).not.toContain('upload under way');
    expect(status).not.toContain('owner-1');
    const [first, second] = [4, 5].map((seed) =>
      encodeBundle(toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed })),
    );
    await scene.client('owner-0').upload('grid', 'bundle', first);
    const half = { kind: 'bundle', size: second.length, sha256: bundleHash(second) } as const;
    const { id } = await scene.client('owner-0').openUpload('grid', half);
    await scene.client('owner-0').sendChunk('grid', id, 0, second.subarray(0, 1000));
    const later = JSON.parse(await done('owner-0', 'owner', 'status', '--json'));
    expect(later).toMatchObject({
      owner: 'owner-0',
      role: 'owner',
      federation: 'grid',
      activeModel: 1,
      activeModelLearnedFrom: 1,
      bundles: [
        { version: 1, counts: false, models: [1] },
        { version: 2, counts: true, models: [] },
      ],
      uploads: [{ kind: 'bundle', received: 1000, size: second.length }],
    });
    const text = await done('owner-0', 'owner', 'status');
    expect(text).toContain('1, which learned from version 1, not from version 2 that counts: it was trained before');
    expect(text).toMatch(/^upload under way +sent +of +last heard of \(UTC\)\nbundle +1\.0 kB /m);
    expect(await done('rosemary', 'owner', 'status')).toContain('rosemary (label holder) of grid');
    expect((await as('operator', 'owner', 'status')).stderr).toContain('got operator [F3_AUTH_FORBIDDEN]');
  });

  it('an owner deletes old versions of its own, not what counts, and what a model learned from only if told to', async () => {
    expect((await as('owner-0', 'owner', 'bundles', '--delete', '2')).stderr).toContain('[F3_BUNDLE_COUNTS]');
    const refused = await as('owner-0', 'owner', 'bundles', '--delete', '1');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toBe(
      'f3: bundle owner-0 version 1: must not be needed to refit a model, got model 1, which learned from it; ' +
        '--despite-models deletes it all the same [F3_BUNDLE_IN_MODEL]\n',
    );
    expect((await as('owner-0', 'owner', 'bundles', '--despite-models')).stderr).toContain('is for --delete only');
    const foreign = await as('owner-0', 'owner', 'bundles', '--owner', 'owner-1', '--delete', '1');
    expect(foreign.stderr).toContain(
      'member owner-0: may delete its own bundles only, got those of another owner [F3_AUTH_FORBIDDEN]',
    );
    const before = await scene.rowCounts();
    expect(await done('owner-0', 'owner', 'bundles', '--delete', '1', '--despite-models')).toBe(
      'version 1 of owner-0 in federation grid is deleted\nmodel 1 learned from it, predicts as before and cannot be refitted\n',
    );
    const after = await scene.rowCounts();
    for (const table of ['public.bundles', 'public.blobs', 'public.blob_chunks', 'public.uploads']) {
      expect(before[table] - after[table]).toBe(1);
    }
    expect(await done('owner-0', 'owner', 'bundles')).toMatch(/^version .*\n +2 .* yes .*\n$/);
    expect(await done('operator', 'owner', 'bundles', '--owner', 'owner-0', '--json')).toContain('"version":2');
    const audit = (await scene.client('operator').audit('grid')).find(({ action }) => action === 'bundle.deleted');
    expect(audit).toMatchObject({ actor: 'owner-0', details: { owner: 'owner-0', version: 1, models: [1] } });
    const embedding = [0, 0, 0, 0];
    const asked = { samples: [{ id: 's', embeddings: { 'owner-0': embedding } }] };
    expect(await scene.client('operator').predict('grid', asked)).toMatchObject({ model: 1 });
  });

  it('an operator gives a program a token that predicts, and takes it back', async () => {
    expect(await done('operator', 'token', 'list')).toBe(
      'federation grid has no token; f3 token create grid --name NAME makes one\n',
    );
    const said = await done('operator', 'token', 'create', 'grid', '--name', 'dashboard', '--expires', '2w');
    const [secret, until, how] = said.split('\n');
    expect(secret).toMatch(/^f3t_[\w-]{43}$/);
    expect(until).toMatch(/^shown this once; good until 20\d\d-/);
    expect(how).toContain(`GET ${scene.server.url}/v2/models/grid and POST …/infer`);
    const headers = { authorization: `Bearer ${secret}` };
    const ready = () => fetch(`${scene.server.url}/v2/models/grid/ready`, { headers });
    expect((await ready()).status).toBe(200);
    const list = await done('operator', 'token', 'list');
    expect(list).toMatch(/^token +made by +made \(UTC\) +good until \(UTC\) +last used \(UTC\)\ndashboard +operator-/);
    expect(list).not.toContain(secret);
    const taken = await as('operator', 'token', 'create', 'grid', '--name', 'dashboard');
    expect(taken.stderr).toContain('name must be free in federation grid, got one that is taken [F3_TOKEN_EXISTS]');
    for (const duration of ['90', '0d', '-1d', '9999d', 'soon', '']) {
      const odd = await as('operator', 'token', 'create', 'grid', '--name', 'x', '--expires', duration);
      expect(odd.stderr).toContain('It must be a number of h, d or w up to 3650d, as 90d, or never. [F3_OPTION]');
    }
    expect((await as('owner-0', 'token', 'list')).stderr).toContain('[F3_AUTH_FORBIDDEN]');
    expect(await done('operator', 'token', 'revoke', 'grid', 'dashboard')).toBe(
      'token dashboard of federation grid is revoked\n',
    );
    expect((await ready()).status).toBe(403);
    expect((await as('operator', 'token', 'revoke', 'grid', 'dashboard')).stderr).toContain('[F3_TOKEN_UNKNOWN]');
  });

  it('an owner leaves by its own key, with what it sent, and its machine forgets the key', async () => {
    const home = join(dir, 'guest');
    const invited = await done('operator', 'owner', 'invite', 'grid', 'guest', '--json');
    const env = { F3_HOME: home };
    const joined = await startF3(['owner', 'join', scene.server.url, '--code', '-'], { env, input: invited });
    expect(joined.status).toBe(0);
    const file = join(dir, 'guest.arrow');
    writeFileSync(file, encodeBundle({ ...toyBundle(0, { samples: SAMPLES, width: () => WIDTH }), owner: 'guest' }));
    expect((await startF3(['owner', 'push', file], { env })).status).toBe(0);
    const asked = await startF3(['owner', 'leave', '--delete-bundles'], { env });
    expect(asked.status).toBe(2);
    expect(asked.stdout).toBe(
      'guest would leave federation grid: its key would be refused from then on, later trainings would leave it out\n' +
        '1 bundle versions would be deleted\nno model learned from it\n',
    );
    expect(asked.stderr).toContain('leave: cannot be undone; --yes says that it shall be [F3_OPTION]');
    const elsewhere = await as('owner-2', 'owner', 'leave', '--yes', '--forget');
    expect(elsewhere.stderr).toContain('--forget: key must lie in the home folder');
    // As an earlier version kept it: in the folder that is about to go.
    const [former] = listMemberships(home);
    const release = `${JSON.stringify({ cost: 0.1, samples: ['s'], rows: ['r'] })}\n`;
    mkdirSync(join(former.folder, 'privacy'));
    writeFileSync(join(former.folder, 'privacy', 'spent.jsonl'), release);
    const left = await startF3(['owner', 'leave', '--delete-bundles', '--forget', '--yes'], { env });
    expect(left).toEqual({
      status: 0,
      stderr: '',
      stdout:
        'guest has left federation grid; its key is refused from now on, later trainings leave it out\n' +
        'deleted: bundle version 1\nno model learned from what guest sent\nour key is removed from this machine\n',
    });
    expect(readdirSync(home)).toEqual(['owners']);
    expect(readFileSync(join(home, 'owners', 'guest', 'privacy', 'spent.jsonl'), 'utf8')).toBe(release);
    const { owners } = await scene.client('operator').status('grid');
    expect(owners.map(({ owner }) => owner)).not.toContain('guest');
    expect(await scene.client('operator').bundles('grid', 'guest')).toEqual([]);
  });

  it('an owner that leaves without its bundles is told what stays', async () => {
    const left = await done('owner-1', 'owner', 'leave', '--yes');
    expect(left).toBe(
      'owner-1 has left federation grid; its key is refused from now on, later trainings leave it out\n' +
        'kept there: bundle version 1\n' +
        'model 1 learned from what owner-1 sent and predicts as before, model 1 is the active one\n' +
        `our key stays in ${join(dir, 'owner-1.json')}; it opens nothing any more\n`,
    );
    expect((await as('owner-1', 'owner', 'status')).stderr).toContain('[F3_AUTH_REVOKED]');
    // What is left of it is the operator's to delete.
    const gone = await done('operator', 'owner', 'bundles', '--owner', 'owner-1', '--delete', '1', '--despite-models');
    expect(gone).toContain('version 1 of owner-1 in federation grid is deleted');
  });
});
