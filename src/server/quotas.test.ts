// Quotas as members and operators meet them: who may set them, what a full one answers, and what metrics say.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, LABEL_HOLDER, WIDTH } from '../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle } from '../../test/support/toy-bundles.ts';
import { encodeArrow, textColumn } from '../base/arrow-table.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';
import type { QuotaUsage } from '../exchange/quotas.ts';

describe('quotas', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({
      data: join(dir, 'data'),
      work: false,
      quotas: { memberQueued: 3, memberLive: 2 },
    });
    await scene.join('local-ops', 'operator');
  });
  afterAll(() => scene?.server.close());

  const used = async (name: string, member = 'operator') =>
    (await scene.client(member).quotas('grid')).find(({ quota }) => quota === name) as QuotaUsage;
  const bundle = (samples: number) => encodeBundle(toyBundle(0, { samples, width: () => WIDTH, seed: samples }));

  it('show what is taken; an owner sees its own share only', async () => {
    const bytes = scene.bundles.get('owner-1') as Uint8Array;
    expect(await used('memberVersions')).toMatchObject({ used: 1, most: 1000 });
    expect(await used('memberBytes', 'owner-1')).toMatchObject({ used: bytes.length, member: 'owner-1' });
    expect(await scene.client('owner-1').status('grid')).toMatchObject({
      quotas: expect.arrayContaining([expect.objectContaining({ quota: 'memberBytes', member: 'owner-1' })]),
    });
  });

  it('attack: an operator of one federation raises its own quota', async () => {
    await expect(scene.client('local-ops').setQuotas('grid', { memberBytes: 1e15 })).rejects.toMatchObject({
      code: 'F3_AUTH_FORBIDDEN',
    });
    await expect(scene.client('owner-0').setQuotas('grid', { memberBytes: 1e15 })).rejects.toMatchObject({
      code: 'F3_AUTH_FORBIDDEN',
    });
  });

  it('set by the operator of the coordinator hold from then on, are audited, and can be put back', async () => {
    const kept = (await used('memberBytes', 'owner-0')).used;
    await scene.client('operator').setQuotas('grid', { memberBytes: kept + 10 });
    await expect(scene.client('owner-0').upload('grid', 'bundle', bundle(80))).rejects.toMatchObject({
      code: 'F3_QUOTA',
      message: expect.stringContaining(`member owner-0: may take at most ${kept + 10} of quota memberBytes`),
    });
    await scene.client('operator').setQuotas('grid', { memberBytes: null });
    expect(await scene.client('owner-0').upload('grid', 'bundle', bundle(80))).toMatchObject({ version: 2 });
    const entries = await scene.client('operator').audit('grid', { limit: 1000 });
    expect(entries.filter(({ action }) => action === 'quotas.set').map(({ details }) => details)).toEqual([
      { memberBytes: kept + 10 },
      { memberBytes: null },
    ]);
  });

  it.each([-1, 0.5, 1e300, 'much'])('must be whole numbers, got %s', async (memberBytes) => {
    const asked = { method: 'PUT', path: '/v1/federations/grid/quotas', body: { memberBytes } };
    expect(await scene.ask('operator', asked)).toMatchObject({ status: 400, code: 'F3_REQUEST' });
    const unknown = { ...asked, body: { memberSmiles: 1 } };
    expect(await scene.ask('operator', unknown)).toMatchObject({ status: 400, code: 'F3_REQUEST' });
  });

  it('attack: trainings queued faster than anybody runs them', async () => {
    const ask = () => scene.client('operator').train('grid', { config: { epochs: 1 }, split: 1 });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, ask));
    const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : []));
    expect(ids).toHaveLength(3);
    expect(await used('memberQueued')).toMatchObject({ used: 3, most: 3, member: expect.stringMatching(/^operator/) });
    await scene.client('operator').cancelTraining('grid', ids[0]);
    expect(await ask()).toMatchObject({ id: expect.any(String) });
    await expect(ask()).rejects.toMatchObject({ code: 'F3_QUOTA' });
  });

  it('attack: the longest plans, queued and cancelled again and again, fill the disk', async () => {
    const client = scene.client(LABEL_HOLDER);
    const taken = async () => (await used('federationBytes'))?.used as number;
    const before = await taken();
    const set = (most: number | null) => scene.client('operator').setQuotas('grid', { federationBytes: most });
    await set(before + 200_000);
    const part = (size: number) => Array.from({ length: size }, () => randomUUID());
    const ask = () =>
      client.train('grid', {
        config: { epochs: 1 },
        split: { train: part(5000), validation: part(20), test: part(20) },
      });
    for (let i = 0; i < 4; i++) {
      const { id } = await ask();
      expect(await taken()).toBeGreaterThan(before + 100_000);
      await client.cancelTraining('grid', id);
      expect(await taken()).toBe(before);
    }
    const { id } = await ask();
    await expect(ask()).rejects.toMatchObject({
      code: 'F3_QUOTA',
      message: expect.stringContaining('federationBytes'),
    });
    await client.cancelTraining('grid', id);
    await set(null);
  });

  it('attack: trainings and models without number, each of which whoever asks how the federation stands is told', async () => {
    const client = scene.client(LABEL_HOLDER);
    const { id: waiting } = await client.train('grid', { config: { epochs: 1 }, split: 1 });
    const { id: cancelled } = await client.train('grid', { config: { epochs: 1 }, split: 1 });
    await client.cancelTraining('grid', cancelled);
    const { executeSql } = scene.server.store;
    await executeSql(
      `insert into trainings (id, federation, requested_by, options, status, turn, finished, created)
        select gen_random_uuid(), federation, requested_by, '{}', status, turn, finished, created + i * interval '1 second'
        from trainings, generate_series(1, 1000) as i where id = $1`,
      [cancelled],
    );
    await executeSql(
      `insert into models (federation, version, card, blob) select federation, version + i, card, blob
        from models, generate_series(1, 1000) as i where federation = 'grid' and version = 1`,
    );
    for (const member of ['operator', LABEL_HOLDER]) {
      const { trainings = [], models = [] } = await scene.client(member).status('grid');
      const ended = trainings.filter(({ state }) => state !== 'queued');
      expect(ended.length).toBeLessThanOrEqual(100);
      expect(trainings).toContainEqual(expect.objectContaining({ id: waiting, state: 'queued' }));
      expect(models.map(({ version }) => version)).toEqual([1, ...Array.from({ length: 100 }, (_, i) => 902 + i)]);
    }
    await executeSql(`delete from models where federation = 'grid' and version > 1`);
    await client.cancelTraining('grid', waiting);
  });

  it('attack: live samples that nobody else will ever send', async () => {
    const embedding = new Array<number>(WIDTH).fill(0);
    const post = (owner: string, sample: string, deadlineMs: number) =>
      scene.client(owner).live('grid', sample, { embedding, deadlineMs });
    const live = (sample: string) => post('owner-0', sample, 50_000);
    const waiting = [live('a'), live('b')];
    const isWaiting = async () => (await scene.rowCounts())['public.live_embeddings'];
    await expect.poll(isWaiting).toBe(2);
    await expect(live('c')).rejects.toMatchObject({ code: 'F3_QUOTA' });
    expect(await post('owner-1', 'c', 0)).toMatchObject({ sample: 'c' });
    for (const sample of ['a', 'b']) for (const owner of ['owner-1', 'owner-2']) await post(owner, sample, 0);
    await Promise.all(waiting);
    expect(await post('owner-0', 'c', 0)).toMatchObject({ sample: 'c' });
  });

  it('attack: as many classes as labels may name, for so many samples that no memory holds their probabilities', async () => {
    const labelled = (samples: number, classes: number) => {
      const ids = Array.from({ length: samples }, (_, i) => `s${String(i).padStart(4, '0')}`);
      return encodeArrow({ sample: textColumn(ids), label: textColumn(ids.map((_, i) => `class ${i % classes}`)) }, {});
    };
    await scene.client('operator').createFederation('wide');
    await scene.join('many', 'labels', 'wide');
    await scene.join('owner-0', 'owner', 'wide');
    await scene.client('owner-0').upload('wide', 'bundle', bundle(80));
    const beyond = scene.client('many').upload('wide', 'labels', labelled(20_000, 20_000));
    await expect(beyond).rejects.toMatchObject({ code: 'F3_LABELS' });
    await scene.client('many').upload('wide', 'labels', labelled(200_000, 1000));
    await expect(scene.client('operator').train('wide', { split: 1 })).rejects.toMatchObject({
      code: 'F3_TRAINING_MEMORY',
      message: expect.stringMatching(
        /got an estimate of \d{4,5} MiB \(1 owners × 200000 samples × width 4, 1000 classes/,
      ),
    });
  });

  it('are in the metrics without naming anybody', async () => {
    const { body } = await scene.ask('operator', { path: '/metrics', token: '' });
    expect(body).toMatch(/f3_quota_ratio\{quota="memberQueued"\} (1|0\.\d+)/);
    expect(body).toMatch(/f3_trainings\{state="queued"\} \d/);
    for (const name of ['grid', 'owner-0', LABEL_HOLDER]) expect(body).not.toContain(name);
  });
});
