// Attacks on who may come in: invitations.
import { type Attack, enrol, GRID } from './attack-requests.ts';
import type { Asked, FederationScene } from './federation-scene.ts';

const invite = async (scene: FederationScene, owner: string): Promise<string> =>
  (await scene.client('operator').invite('grid', { owner, role: 'owner' })).code;
const invitationOf = async (scene: FederationScene, owner: string): Promise<string> =>
  (await scene.client('operator').invitations('grid')).findLast((one) => one.owner === owner)?.id ?? '';
const cancel = (id: string, federation = GRID): Asked => ({
  ...{ method: 'POST', path: `${federation}/invitations/${id}/cancel` },
});

/** `mole` operates another federation; see OTHERS. */
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
