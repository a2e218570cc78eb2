// A training that ends adds a candidate; which model answers changes for a stated reason only, and the audit log has it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, LABEL_HOLDER, SAMPLES, WIDTH } from '../../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import { createKeyPair } from '../../exchange/identity/key-pair.ts';
import { proveKey } from '../../exchange/identity/key-proof.ts';
import type { TrainingRequest, TrainingStatus } from '../../exchange/messages.ts';

describe('a new model', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  /** Learns little in its one epoch, unlike those below. */
  const poor = { config: { epochs: 1, hidden: 4, learningRate: 1e-8 }, split: 1 };
  const good = { config: { epochs: 60, hidden: 4 }, split: 1 };
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
  });
  afterAll(() => scene?.server.close());

  async function train(request: TrainingRequest, member = 'operator'): Promise<TrainingStatus> {
    const client = scene.client(member);
    const { id } = await client.train('grid', request);
    for await (const _ of client.trainingEvents('grid', id));
    return client.training('grid', id);
  }

  async function answering(): Promise<unknown> {
    const samples = [{ id: 's', embeddings: { 'owner-0': new Array<number>(WIDTH).fill(0) } }];
    return (await scene.client('operator').predict('grid', { samples })).model;
  }

  const lastEntry = async () => (await scene.client('operator').audit('grid', { limit: 1000 })).at(-1);

  it('is active at once if it is the first, and the log says why', async () => {
    expect(await answering()).toBe(1);
    expect(await lastEntry()).toMatchObject({
      actor: 'coordinator',
      action: 'model.activated',
      details: { version: 1, before: null, rule: 'if-better', reason: 'no model was active before it' },
    });
  });

  it('answers if it is better than the active one, and stays a candidate if it is worse', async () => {
    const better = await train(good);
    expect(better).toMatchObject({ model: 2, promotion: { promoted: true, before: 1 } });
    expect(await answering()).toBe(2);
    const worse = await train(poor);
    expect(worse).toMatchObject({
      model: 3,
      promotion: {
        promoted: false,
        before: 2,
        reason: expect.stringMatching(/^validation loss .* is not below .* of model 2$/),
      },
    });
    expect(await answering()).toBe(2);
    expect(await lastEntry()).toMatchObject({
      action: 'model.candidate',
      details: { version: 3, before: 2, rule: 'if-better', reason: worse.promotion?.reason },
    });
    const states = (await scene.client('operator').models('grid')).map(({ state }) => state);
    expect(states).toEqual(['former', 'active', 'candidate']);
  });

  it('is not compared over another split or other labels', async () => {
    const other = { promotion: { promoted: false, reason: expect.stringContaining('scores cannot be compared') } };
    expect(await train({ ...good, split: 2 })).toMatchObject(other);
    const fewer = scene.labelled((sample) => sample !== 3);
    await scene.client(LABEL_HOLDER).upload('grid', 'labels', fewer);
    expect(await train(good)).toMatchObject(other);
    await scene.client(LABEL_HOLDER).upload('grid', 'labels', scene.labels, undefined, { again: true });
    expect(await answering()).toBe(2);
  });

  it('does what its training was told: never, or always', async () => {
    expect(await train({ ...poor, promote: 'never' })).toMatchObject({ promotion: { promoted: false } });
    expect(await answering()).toBe(2);
    const { model, promotion } = await train({ ...poor, promote: 'always' });
    expect(promotion).toMatchObject({ promoted: true, before: 2 });
    expect(await answering()).toBe(model);
  });

  it('of a label holder answers if it is better on the same validation samples, never because it was told to', async () => {
    await scene.client('operator').activate('grid', 3);
    const forced = scene.client(LABEL_HOLDER).train('grid', { ...poor, promote: 'always' });
    await expect(forced).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    expect(await train({ ...good, split: 2 }, LABEL_HOLDER)).toMatchObject({ promotion: { promoted: false } });
    expect(await train(good, LABEL_HOLDER)).toMatchObject({ promotion: { promoted: true, before: 3 } });
  });

  it('that a stolen operator key asked for always to promote stays a candidate once the key is revoked', async () => {
    const operator = scene.client('operator');
    await scene.join('thief', 'operator');
    const before = await answering();
    // The one worker is busy with this until the thief is out.
    const { id: long } = await operator.train('grid', {
      config: { epochs: 300, patience: 300, hidden: 4 },
      split: 1,
      promote: 'never',
    });
    const { id } = await scene.client('thief').train('grid', { ...poor, promote: 'always' });
    await operator.revoke('grid', 'thief');
    for (const each of [long, id]) for await (const _ of operator.trainingEvents('grid', each));
    expect(await operator.training('grid', id)).toMatchObject({
      state: 'done',
      promotion: { promoted: false, reason: 'who asked for it is no longer a member' },
    });
    expect(await answering()).toBe(before);
  });

  it.each(['revoked', 'replaced without overlap', 'revoked after its time'] as const)(
    'that a stolen operator key asked for stays a candidate once the key is %s, though its member stays',
    async (how) => {
      const operator = scene.client('operator');
      const name = `victim, key ${how}`;
      await scene.join(name, 'operator');
      const victim = scene.key(name);
      const before = await answering();
      const { id: long } = await operator.train('grid', {
        config: { epochs: 300, patience: 300, hidden: 4 },
        split: 1,
        promote: 'never',
      });
      const { id } = await scene.client(name).train('grid', { ...poor, promote: 'always' });
      const next = await createKeyPair();
      const overlapHours = how === 'revoked' ? 24 : how === 'revoked after its time' ? 1e-6 : 0;
      await scene.client(name).rotateKey({ publicKey: next.publicKey, proof: proveKey(next, victim.id), overlapHours });
      scene.keys.set(name, next);
      if (overlapHours > 0) await scene.client(name).revokeKey(victim.id);
      for (const each of [long, id]) for await (const _ of operator.trainingEvents('grid', each));
      expect(await operator.training('grid', id)).toMatchObject({
        state: 'done',
        promotion: { promoted: false, reason: 'the key that asked for it was revoked' },
      });
      expect(await answering()).toBe(before);
    },
  );

  it('that an operator asked for before it replaced its key in good order answers all the same', async () => {
    await scene.join('orderly', 'operator');
    const old = scene.key('orderly');
    const { id: long } = await scene.client('operator').train('grid', {
      config: { epochs: 300, patience: 300, hidden: 4 },
      split: 1,
      promote: 'never',
    });
    const { id } = await scene.client('orderly').train('grid', { ...poor, promote: 'always' });
    const next = await createKeyPair();
    await scene.client('orderly').rotateKey({
      publicKey: next.publicKey,
      proof: proveKey(next, old.id),
      overlapHours: 1e-6,
    });
    for (const each of [long, id]) for await (const _ of scene.client('operator').trainingEvents('grid', each));
    const { model, promotion } = await scene.client('operator').training('grid', id);
    expect(promotion).toMatchObject({ promoted: true });
    expect(await answering()).toBe(model);
  });

  it('of a label holder is a candidate where no model is active, until an operator promotes it', async () => {
    const operator = scene.client('operator');
    await operator.createFederation('depot');
    await scene.join('depot-owner', 'owner', 'depot');
    await scene.join('depot-labels', 'labels', 'depot');
    const bundle = encodeBundle({ ...toyBundle(0, { samples: SAMPLES }), owner: 'depot-owner' });
    await scene.client('depot-owner').upload('depot', 'bundle', bundle);
    const holder = scene.client('depot-labels');
    await holder.upload('depot', 'labels', scene.labels);
    await scene.allowAll('depot-labels', 'depot');
    const { id } = await holder.train('depot', { config: { epochs: 1, hidden: 4 } });
    for await (const _ of holder.trainingEvents('depot', id));
    expect(await holder.training('depot', id)).toMatchObject({ promotion: { promoted: false, before: null } });
    expect(await operator.status('depot')).toMatchObject({ activeModel: null });
    await expect(holder.activate('depot', 1)).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    expect(await operator.activate('depot', 1)).toEqual({ activeModel: 1 });
  });
});
