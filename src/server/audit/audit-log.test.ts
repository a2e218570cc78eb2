// The audit log of a running coordinator: it tells who was refused and who read what, is signed, and a change shows.
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GRID, predict, sampleOf, zeros } from '../../../test/support/attack-requests.ts';
import { FederationScene, LABEL_HOLDER, WIDTH } from '../../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyId } from '../../../test/support/toy-bundles.ts';
import { exportAudit } from '../../exchange/audit/export-audit.ts';
import { verifyAudit } from '../../exchange/audit/verify-audit.ts';
import { createKeyPair } from '../../exchange/identity/key-pair.ts';
import { signRequest } from '../../exchange/identity/request-token.ts';
import type { AuditEntry } from '../../exchange/messages.ts';

describe('the audit log of a coordinator', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
  });
  afterAll(() => scene?.server.close());

  const entries = async (federation: string | null, action: string): Promise<AuditEntry[]> => {
    await scene.server.counts.flush();
    const all = await scene.client('operator').audit(federation, { limit: 1000 });
    return all.filter((entry) => entry.action === action);
  };
  const lines = async (federation: string | null) => {
    const texts: string[] = [];
    for await (const line of exportAudit(scene.client('operator'), federation)) texts.push(JSON.stringify(line));
    return texts;
  };

  it('names the key and the address of whoever did something', async () => {
    const [asked] = await entries('grid', 'training.asked');
    expect(asked).toMatchObject({ keyId: scene.key('operator').id, address: '127.0.0.1' });
    const received = await entries('grid', 'bundle.received');
    expect(received[1]).toMatchObject({ actor: 'owner-1', keyId: scene.key('owner-1').id });
  });

  it('tells the options of a training, and its split', async () => {
    const [{ details = {} }] = await entries('grid', 'training.asked');
    expect(details).toMatchObject({ split: { seed: 1 }, labels: 1, bundles: 3, config: { epochs: 2, hidden: 4 } });
    const ids = (from: number) => Array.from({ length: 20 }, (_, i) => toyId(from + i));
    const parts = { train: ids(0), validation: ids(20), test: ids(40) };
    const other = { ...parts, train: [...parts.train].reverse() };
    for (const split of [parts, other]) {
      const { id } = await scene.client('operator').train('grid', { config: { epochs: 1, hidden: 4 }, split });
      for await (const _ of scene.client('operator').trainingEvents('grid', id)); // its end is an entry, too
    }
    const [first, second] = (await entries('grid', 'training.asked')).slice(-2);
    expect(first.details?.split).toMatchObject({ train: 20, validation: 20, test: 20 });
    expect(second.details?.split).toEqual(first.details?.split);
  });

  it('counts tokens that were refused, of known and of unknown keys, in one entry', async () => {
    const stranger = await createKeyPair();
    const status = { method: 'GET', path: GRID, body: new Uint8Array() };
    for (let i = 0; i < 5; i++) await scene.ask('', { path: GRID, token: await signRequest(stranger, status) });
    await scene.ask('owner-1', { path: `${GRID}/models` });
    const refused = (await entries('grid', 'token.refused')).at(-1)?.details;
    expect(refused).toMatchObject({ total: 6 });
    expect(refused?.by).toEqual([
      { keyId: stranger.id, address: '127.0.0.1', code: 'F3_AUTH_UNKNOWN', count: 5 },
      { who: 'owner-1', keyId: scene.key('owner-1').id, address: '127.0.0.1', code: 'F3_AUTH_FORBIDDEN', count: 1 },
    ]);
  });

  it('is not flooded by a thousand keys at a federation that is not there', async () => {
    const asked = { method: 'GET', path: '/v1/federations/nowhere', body: new Uint8Array() };
    const forger = await createKeyPair();
    const ids = Array.from({ length: 50 }, (_, i) => String(i).padStart(43, 'x'));
    for (const id of ids) {
      await scene.ask('', { path: asked.path, token: await signRequest({ ...forger, id }, asked) });
    }
    const told = await entries(null, 'token.refused');
    expect(told).toHaveLength(1);
    expect(told[0].details).toMatchObject({ total: 50, others: 30 });
  });

  it('counts wrong codes', async () => {
    const body = { code: 'guess', publicKey: (await createKeyPair()).publicKey };
    for (let i = 0; i < 3; i++) await scene.ask('', { method: 'POST', path: '/v1/enrol', token: '', body });
    expect((await entries(null, 'code.refused')).at(-1)?.details).toMatchObject({ total: 3 });
  });

  it('counts who read models and who had predictions made', async () => {
    await scene.client(LABEL_HOLDER).models('grid');
    await scene.client(LABEL_HOLDER).model('grid', 1);
    for (let i = 0; i < 4; i++) await scene.ask('operator', predict({ samples: [sampleOf(zeros(WIDTH))] }));
    const read = (await entries('grid', 'model.read')).at(-1)?.details;
    expect(read).toMatchObject({ total: 2, by: [{ who: LABEL_HOLDER, count: 2 }] });
    expect((await entries('grid', 'prediction.made')).at(-1)?.details).toMatchObject({ total: 4 });
  });

  it('can be checked by a third party, of each federation and of the server', async () => {
    const { keyId } = await scene.client('owner-1').auditHead('grid');
    for (const federation of ['grid', null]) {
      const verdict = await verifyAudit(await lines(federation), 'log', { keyIds: [keyId] });
      expect(verdict).toMatchObject({ federation, problems: [], unsigned: 0, signedBy: [keyId] });
      expect(verdict.heads).toBeGreaterThan(0);
    }
  });

  it('lets owners keep a head, and shows them nothing else', async () => {
    expect(await scene.client('owner-1').auditHead('grid')).toMatchObject({ federation: 'grid' });
    expect(await scene.ask('owner-1', { path: `${GRID}/audit` })).toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    expect(await scene.ask('owner-1', { path: '/v1/audit/head' })).toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    expect(await scene.ask('', { path: '/v1/audit/keys', token: '' })).toMatchObject({ status: 200 });
  });

  it('shows what the administrator of the database changed, and is not signed over it', async () => {
    const before = await scene.client('operator').auditHead('grid');
    const { db } = scene.server.store;
    const change = async (to: string, number: number) => {
      await sql`alter table audit disable trigger audit_append_only`.execute(db);
      await sql`update audit set actor = ${to} where federation = 'grid' and number = ${number}`.execute(db);
      await sql`alter table audit enable trigger audit_append_only`.execute(db);
    };
    await change('somebody', 3);
    expect((await verifyAudit(await lines('grid'), 'log')).problems).toEqual([
      expect.stringMatching(/^entry 3: was changed/),
    ]);
    // An entry that is changed before it was signed is never signed.
    await sql`update audit_chains set count = count + 1 where chain = 'grid'`.execute(db);
    await scene.join('late');
    const after = await scene.client('operator').auditHead('grid');
    expect(after.count).toBe(before.count);
    expect(await scene.client('operator').auditHead(null)).toMatchObject({ federation: null });
  });
});
