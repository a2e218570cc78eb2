// The line breaks after the coordinator has done what it was asked for: the client asks again, and nothing is done twice.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene } from '../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { CoordinatorClient } from '../exchange/client/coordinator-client.ts';
import { createKeyPair } from '../exchange/identity/key-pair.ts';

describe('a lost answer', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  let lost = 0;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
  });
  afterAll(() => scene?.server.close());

  /** Loses every first answer. */
  function unlucky(): CoordinatorClient {
    let isLost = false;
    return new CoordinatorClient({
      url: scene.server.url,
      keys: scene.key('operator'),
      backOff: { first: 1, attempts: 3 },
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        isLost = !isLost;
        if (!isLost) return response;
        lost++;
        throw new TypeError('fetch failed');
      },
    });
  }

  /** Rows and audit entries that come of `act`. */
  async function made(table: string, act: () => Promise<unknown>): Promise<number[]> {
    const before = await scene.rowCounts();
    await act();
    const after = await scene.rowCounts();
    return [table, 'public.audit'].map((name) => after[name] - before[name]);
  }

  it('makes one federation', async () => {
    expect(await made('public.federations', () => unlucky().createFederation('other'))).toEqual([1, 1]);
    expect(lost).toBe(1);
  });

  it('makes one invitation, and the code that arrives is good', async () => {
    const invited = async () => {
      const { code } = await unlucky().invite('grid', { owner: 'late', role: 'owner' });
      await unlucky().enrol(code, await createKeyPair());
    };
    expect(await made('public.invitations', invited)).toEqual([1, 2]);
  });

  it('makes one training with one job', async () => {
    const trained = async () => {
      const { id } = await unlucky().train('grid', { config: { epochs: 1, hidden: 4 } });
      for await (const _ of scene.client('operator').trainingEvents('grid', id));
    };
    const jobs = await made('pgboss.job', async () => {
      // Asked for, trained, and what became of the model.
      expect(await made('public.trainings', trained)).toEqual([1, 3]);
    });
    expect(jobs[0]).toBe(1);
  });

  it('revokes once and says so', async () => {
    expect(await made('public.members', () => unlucky().revoke('grid', 'late'))).toEqual([0, 1]);
    const again = scene.client('operator').revoke('grid', 'late');
    await expect(again).rejects.toMatchObject({ code: 'F3_MEMBER_UNKNOWN' });
    expect(lost).toBe(5);
  });
});
