// Attacks on who may come in and on what may be taken out: invitations, deletions, departures.
import { expect } from 'vitest';
import { type Attack, enrol, GRID, push } from './attack-requests.ts';
import { type Asked, type FederationScene, LABEL_HOLDER } from './federation-scene.ts';

const invite = async (scene: FederationScene, owner: string): Promise<string> =>
  (await scene.client('operator').invite('grid', { owner, role: 'owner' })).code;
const invitationOf = async (scene: FederationScene, owner: string): Promise<string> =>
  (await scene.client('operator').invitations('grid')).findLast((one) => one.owner === owner)?.id ?? '';
const cancel = (id: string, federation = GRID): Asked => ({
  method: 'POST',
  path: `${federation}/invitations/${id}/cancel`,
});

/** The member `mole` operates another federation; see OTHERS. */
export const INVITATIONS: Attack[] = [
  {
    name: 'a code that was cancelled',
    code: 'F3_INVITATION_CANCELLED',
    prepare: async (scene) => {
      const code = await invite(scene, 'unwanted');
      await scene.client('operator').cancelInvitation('grid', await invitationOf(scene, 'unwanted'));
      return code;
    },
    attack: async (scene, code) => scene.ask('', await enrol(code)),
  },
  {
    name: 'a second code that a revoked owner kept',
    code: 'F3_INVITATION_CANCELLED',
    prepare: async (scene) => {
      const kept = await invite(scene, 'twofold');
      await scene.join('twofold');
      await scene.client('operator').revoke('grid', 'twofold');
      return kept;
    },
    attack: async (scene, code) => scene.ask('', await enrol(code)),
  },
  {
    name: 'an invitation cancelled by an owner',
    code: 'F3_AUTH_FORBIDDEN',
    prepare: async (scene) => {
      await invite(scene, 'awaited');
      return invitationOf(scene, 'awaited');
    },
    attack: (scene, id) => scene.ask('owner-0', cancel(id)),
  },
  {
    name: 'an invitation cancelled from another federation',
    code: 'F3_INVITATION_UNKNOWN',
    prepare: (scene) => invitationOf(scene, 'awaited'),
    attack: (scene, id) => scene.ask('mole', cancel(id, '/v1/federations/elsewhere')),
  },
  {
    name: 'a code cancelled twice',
    code: 'F3_INVITATION_UNKNOWN',
    prepare: async (scene) => {
      const id = await invitationOf(scene, 'awaited');
      await scene.client('operator').cancelInvitation('grid', id);
      return id;
    },
    attack: (scene, id) => scene.ask('operator', cancel(id)),
  },
  {
    name: 'an owner that asks who is invited',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask('owner-0', { path: `${GRID}/invitations` }),
  },
];

const deletion = (owner: string, version = 1): Asked => ({
  method: 'DELETE',
  path: `${GRID}/bundles/${owner}/${version}`,
});
const leaving = (body: object = {}): Asked => ({ method: 'POST', path: `${GRID}/leave`, body });

export const DELETIONS: Attack[] = [
  {
    name: "an owner that deletes another's bundle",
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask('owner-1', deletion('owner-0')),
  },
  {
    name: 'a label holder that deletes a bundle',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask(LABEL_HOLDER, deletion('owner-0')),
  },
  {
    name: 'a label holder that asks which bundles there are',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask(LABEL_HOLDER, { path: `${GRID}/bundles` }),
  },
  {
    name: 'a bundle that counts, deleted by its owner',
    code: 'F3_BUNDLE_COUNTS',
    attack: (scene) => scene.ask('owner-0', deletion('owner-0')),
  },
  {
    name: 'a version that never was, deleted',
    code: 'F3_BUNDLE_UNKNOWN',
    attack: (scene) => scene.ask('operator', deletion('owner-0', 99)),
  },
  {
    name: 'a bundle deleted from another federation',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask('mole', deletion('owner-0')),
  },
  {
    name: 'an owner that leaves with its bundles, which a model learned from',
    code: 'F3_BUNDLE_IN_MODEL',
    attack: (scene) => scene.ask('owner-0', leaving({ bundles: 'delete' })),
  },
  {
    name: "the server's operator that leaves a federation",
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask('operator', leaving()),
  },
  {
    name: 'an owner that leaves another federation',
    code: 'F3_AUTH_FORBIDDEN',
    attack: (scene) => scene.ask('owner-0', { ...leaving(), path: '/v1/federations/elsewhere/leave' }),
  },
  {
    name: 'an owner that has left',
    code: 'F3_AUTH_REVOKED',
    prepare: async (scene) => {
      await scene.join('fickle');
      expect(await scene.ask('fickle', leaving())).toMatchObject({ status: 200 });
    },
    attack: (scene) => push(scene, 'fickle', scene.bundles.get('owner-0') as Uint8Array),
  },
];
