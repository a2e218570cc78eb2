// One owner retrained its model: the coordinator learns its alignment anew and leaves the others' as they were.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, LABEL_HOLDER, SAMPLES, WIDTH } from '../../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle, toyId } from '../../../test/support/toy-bundles.ts';
import { decodeSafetensors } from '../../core/safetensors.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import { randomSplit } from '../../exchange/labels/sample-parts.ts';
import type { TrainingRequest, TrainingStatus } from '../../exchange/messages.ts';
import { readBlob } from '../../storage/blobs.ts';
import { requireModel } from '../../storage/models.ts';

describe('a refit on the coordinator', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
  });
  afterAll(() => scene?.server.close());

  async function train(request: TrainingRequest): Promise<TrainingStatus> {
    const operator = scene.client('operator');
    const { id } = await operator.train('grid', request);
    for await (const _ of operator.trainingEvents('grid', id));
    return operator.training('grid', id);
  }

  async function tensorsOf(version: number) {
    const { db } = scene.server.store;
    const { blob } = await requireModel(db, 'grid', version);
    return decodeSafetensors(await readBlob(db, blob), 'model').tensors;
  }

  it('changes one alignment and nothing else', async () => {
    const again = encodeBundle(toyBundle(1, { samples: SAMPLES, width: () => WIDTH, seed: 9 }));
    await scene.client('owner-1').upload('grid', 'bundle', again);
    expect(await train({ refit: { owner: 'owner-1' }, config: { epochs: 2 } })).toMatchObject({
      state: 'done',
      model: 2,
    });
    const [before, after] = [await tensorsOf(1), await tensorsOf(2)];
    const part = ({ values }: { values: Float32Array }, owner: number) =>
      values.slice((owner * values.length) / 3, ((owner + 1) * values.length) / 3);
    for (const owner of [0, 2]) expect(part(after.P, owner)).toEqual(part(before.P, owner));
    expect(part(after.P, 1)).not.toEqual(part(before.P, 1));
    for (const name of Object.keys(before)) if (name !== 'P') expect(after[name]).toEqual(before[name]);
    expect(await scene.client('operator').model('grid', 2)).toMatchObject({ refitted: 'owner-1' });
  });

  it('takes embeddings of another width, and the bundles that the others’ alignments were learned from', async () => {
    const embedding = new Array<number>(WIDTH).fill(0);
    await scene.client('owner-2').live('grid', 'w', { embedding, quorum: 1 });
    const wider = encodeBundle(toyBundle(2, { samples: SAMPLES, width: () => WIDTH + 2 }));
    await scene.client('owner-2').upload('grid', 'bundle', wider, undefined, { newWidth: true });
    const later = encodeBundle(toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed: 11 }));
    await scene.client('owner-0').upload('grid', 'bundle', later);
    const refitted = await train({
      refit: { owner: 'owner-2', model: 2 },
      config: { epochs: 2 },
      split: 1,
      promote: 'always',
    });
    expect(refitted).toMatchObject({ state: 'done', model: 3 });
    const { owners } = await scene.client('operator').model('grid', 3);
    expect(owners).toMatchObject([{ width: WIDTH }, { width: WIDTH }, { width: WIDTH + 2 }]);
    const samples = [{ id: 's', embeddings: { 'owner-2': new Array<number>(WIDTH + 2).fill(0) } }];
    expect(await scene.client('operator').predict('grid', { samples })).toMatchObject({ model: 3 });
    // What owner-2 said live, in its old width, is left out.
    const heard = await scene.client('owner-0').live('grid', 'w', { embedding, quorum: 1 });
    expect(heard).toMatchObject({ model: 3, owners: ['owner-0'] });
  });

  describe('is split as the model was', () => {
    const ids = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
    const parts = { train: ids.slice(0, 30), validation: ids.slice(30, 45), test: ids.slice(45) };
    const reversed = { train: parts.train.toReversed(), validation: parts.validation, test: parts.test };
    const quick = { epochs: 1, hidden: 4 };
    let seed = 20;
    /** The owner retrained, and sent another bundle. */
    const resend = (owner = 1) => {
      const again = encodeBundle(toyBundle(owner, { samples: SAMPLES, width: () => WIDTH, seed: seed++ }));
      return scene.client(`owner-${owner}`).upload('grid', 'bundle', again);
    };
    const cardOf = async ({ model }: TrainingStatus) => scene.client('operator').model('grid', Number(model));

    it.each([
      ['by a seed', 7, 7, 8],
      ['by ids', parts, reversed, { ...parts, train: parts.train.slice(1) }],
    ])('%s, whether it is named or not; another is refused', async (_, split, same, other) => {
      await resend();
      const trained = await train({ config: quick, split });
      const { split: kept, samples, validatedOn } = await cardOf(trained);
      const refit = { owner: 'owner-1', model: Number(trained.model) };
      for (const named of [undefined, same]) {
        await resend();
        const refitted = await train({ refit, config: { epochs: 1 }, ...(named && { split: named }) });
        expect(refitted).toMatchObject({ state: 'done' });
        expect(await cardOf(refitted)).toMatchObject({ split: kept, samples, validatedOn });
      }
      await resend();
      const refused = scene.client('operator').train('grid', { refit, split: other });
      await expect(refused).rejects.toMatchObject({
        code: 'F3_MODEL_REFIT',
        message: expect.stringContaining('the split must be the one the model was made with ('),
      });
    });

    it('by a seed of a model that an older f3 made, whose card says nothing of it', async () => {
      await resend();
      const trained = await train({ config: quick, split: 9 });
      const { split: kept } = await cardOf(trained);
      const { store } = scene.server;
      await store.executeSql(
        `update models set card = card - 'split' - 'validatedOn' where version = ${trained.model}`,
      );
      await resend();
      const refit = { owner: 'owner-1', model: Number(trained.model) };
      expect(await cardOf(await train({ refit, config: { epochs: 1 } }))).toMatchObject({ split: kept });
      await resend();
      const refused = scene.client('operator').train('grid', { refit, split: 8 });
      await expect(refused).rejects.toMatchObject({ code: 'F3_MODEL_REFIT' });
    });

    it('by a seed, also when other samples have labels now: none moves from one part to another', async () => {
      await resend();
      const trained = await train({ config: quick, split: 3 });
      const fewer = scene.labelled((sample) => sample % 2 === 0);
      await scene.client(LABEL_HOLDER).upload('grid', 'labels', fewer);
      await resend();
      const refitted = await train({
        refit: { owner: 'owner-1', model: Number(trained.model) },
        config: { epochs: 1 },
      });
      expect(refitted).toMatchObject({ state: 'done' });
      const [before, after] = [await cardOf(trained), await cardOf(refitted)];
      expect(after.split).toEqual(before.split);
      const { train: of, validation, test } = randomSplit(ids, 3);
      const even = (part: string[]) => part.filter((id) => ids.indexOf(id) % 2 === 0).length;
      expect(after.samples).toEqual({ train: even(of), validation: even(validation), test: even(test) });
      await scene.client(LABEL_HOLDER).upload('grid', 'labels', scene.labels, undefined, { again: true });
    });
  });

  it('wants a new bundle of the owner', async () => {
    const trained = await train({ config: { epochs: 1, hidden: 4 }, split: 1 });
    const refused = scene
      .client('operator')
      .train('grid', { refit: { owner: 'owner-0', model: Number(trained.model) } });
    await expect(refused).rejects.toMatchObject({
      code: 'F3_MODEL_REFIT',
      message: 'refit owner-0: its bundle must be another than the one the model was made with, got the same',
    });
  });

  it.each([
    ['an owner that the model does not know', { refit: { owner: 'nobody' } }, 'F3_FUSE_OWNER'],
    ['a model that is not there', { refit: { owner: 'owner-1', model: 99 } }, 'F3_MODEL_UNKNOWN'],
    ['another graph', { refit: { owner: 'owner-1' }, config: { graph: 'none' } }, 'F3_MODEL_REFIT'],
    ['several learning rates', { refit: { owner: 'owner-1' }, learningRates: [0.1, 0.01] }, 'F3_MODEL_REFIT'],
  ])('refuses %s', async (_, request, code) => {
    await expect(scene.client('operator').train('grid', request)).rejects.toMatchObject({ code });
  });
});
