// A federation on shares as its members use it: entities in processes, owners, a training through kill -9, predictions, live samples, the ledger.
import { readFileSync, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharesScene, toyOwners } from './support/shares-scene.ts';
import { suiteDirectory } from './support/temporary-directory.ts';
import { toyId } from './support/toy-bundles.ts';

const [OWNERS, SAMPLES] = [5, 60];
const LONG_MS = 300_000;

describe('a federation on shares, with entities in processes', () => {
  const dir = suiteDirectory();
  const bundles = toyOwners(OWNERS, SAMPLES);
  let scene: SharesScene;
  const refusal = (code: string) => expect.objectContaining({ code });

  beforeAll(async () => {
    scene = await SharesScene.start(dir, { inProcesses: true });
    await scene.populate(bundles, SAMPLES);
  }, LONG_MS);
  afterAll(() => scene?.close(), LONG_MS);

  it('keeps what an entity holds from every other user of its machine', () => {
    for (const entity of [1, 2, 3]) {
      const { mode } = statSync(`${scene.folderOf(entity)}/federations/${scene.fingerprint}`);
      expect(mode & 0o077).toBe(0);
    }
  });

  const config = { graph: 'icdf', epochs: 8, patience: 8, batch: 16, hidden: 4, predictionGraphs: 2 };
  let undisturbed: number;

  it(
    'trains by the usual request, and the model is scored and listed as any other',
    async () => {
      const trained = await scene.train({ config, split: 1 });
      expect(trained).toMatchObject({ state: 'done', model: 1, promotion: { promoted: true }, epoch: 8 });
      undisturbed = trained.validationLoss as number;
      expect(await scene.client('operator').models('grid')).toMatchObject([
        { version: 1, state: 'active', test: { accuracy: expect.any(Number) } },
      ]);
      const { onShares, owners } = await scene.client('operator').model('grid', 1);
      expect(onShares).toMatchObject({ charter: scene.fingerprint });
      expect(owners).toHaveLength(OWNERS);
    },
    LONG_MS,
  );

  it(
    'goes on to the same losses after kill -9 of an entity in the middle of a training',
    async () => {
      let killed = false;
      const trained = await scene.train({ config, split: 1 }, async (event) => {
        if (killed || !((event.epoch ?? 0) >= 1)) return;
        killed = true;
        await scene.stopEntity(2);
        expect((await scene.check()).entities?.[1]).toMatchObject({ state: 'away' });
        await scene.startEntity(2);
      });
      expect(killed).toBe(true);
      expect(trained).toMatchObject({ state: 'done', model: 2, epoch: 8 });
      expect(Math.abs((trained.validationLoss as number) - undisturbed)).toBeLessThan(1e-3);
    },
    LONG_MS,
  );

  it('refuses trainings that cannot be computed on shares, each with its reason', async () => {
    const train = (request: object) => scene.client('operator').train('grid', request);
    await expect(train({ config: { activation: 'relu' } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ preset: 'recommended' })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ preset: 'auto' })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ ensemble: { fits: 2 } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ refit: { owner: 'owner-0' } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
  });

  it(
    'predicts samples by name with whoever is not left out, and the same live from shares',
    async () => {
      const client = scene.client('operator');
      const samples = [0, 1, 2].map((s) => ({ id: toyId(s) }));
      const { predictions } = await client.predict('grid', { samples });
      expect(predictions.map(({ sample, owners }) => [sample, owners.length])).toEqual([
        [toyId(0), OWNERS - 1], // owner 1 did not see it
        [toyId(1), OWNERS],
        [toyId(2), OWNERS],
      ]);
      const without = await client.predict('grid', { samples: samples.slice(1, 2), without: ['owner-0'] });
      expect(without.predictions[0].owners).toHaveLength(OWNERS - 1);
      const live = await Promise.all(
        bundles.map(({ owner, embeddings, samples: ids, width }) => {
          const row = ids.indexOf(toyId(1));
          return scene.live(owner, 'now', embeddings.slice(row * width, (row + 1) * width));
        }),
      );
      for (const answer of live) {
        const { probabilities, owners } = answer as unknown as { probabilities: number[]; owners: string[] };
        expect(owners).toHaveLength(OWNERS);
        expect(Math.abs(probabilities[1] - predictions[1].probabilities[1])).toBeLessThan(1e-3);
      }
      const alone = await scene.live('owner-2', 'alone', new Float32Array(4), { quorum: 1 });
      expect(alone).toMatchObject({ owners: ['owner-2'] });
      const watched = await text(await client.connection.stream('/v1/federations/grid/live/events?seconds=0'));
      expect(watched).toMatch(new RegExp(`"sample":"${toyId(1)}","model":\\d+,"source":"batch"`));
      expect(watched).toMatch(/"sample":"alone","model":\d+,"source":"live"/);
      expect(watched).not.toContain('"canExplain":true');
    },
    LONG_MS,
  );

  it(
    'takes no embedding where one is asked about, and says what is wrong with a name, a ticket and a width',
    async () => {
      const operator = scene.client('operator');
      const owner = scene.client('owner-0');
      const embeddings = { 'owner-0': [1, 2, 3, 4] };
      const openly = operator.predict('grid', { samples: [{ id: 's', embeddings }] });
      await expect(openly).rejects.toEqual(refusal('F3_SHARES_ONLY'));
      await expect(operator.predict('grid', { samples: [{ id: 'nobody-has-it' }] })).rejects.toEqual(
        refusal('F3_FUSE_OWNER'),
      );
      await expect(owner.live('grid', 'now', { embedding: [1, 2, 3, 4] })).rejects.toEqual(refusal('F3_SHARES_ONLY'));
      const ticket = 'ab'.repeat(16);
      const share = (width: number) => owner.live('grid', 'then', { share: { ticket, width }, quorum: 1 });
      await expect(share(5)).rejects.toEqual(refusal('F3_FUSE_WIDTH'));
      await expect(share(4)).rejects.toEqual(refusal('F3_SHARES_STORE'));
      const infer = operator.connection.json('POST', '/v2/models/grid/infer', {
        inputs: [{ name: 'owner-0', shape: [1, 4], datatype: 'FP32', data: [1, 2, 3, 4] }],
      });
      await expect(infer).rejects.toEqual(refusal('F3_SHARES_ONLY'));
    },
    LONG_MS,
  );

  it(
    'predicts again when an entity comes back, and says who is away until then',
    async () => {
      const ask = () => scene.client('operator').predict('grid', { samples: [{ id: toyId(3) }] });
      await scene.stopEntity(3);
      await expect(ask()).rejects.toEqual(refusal('F3_SHARES_AWAY'));
      await scene.startEntity(3);
      expect((await ask()).predictions).toHaveLength(1);
    },
    LONG_MS,
  );

  it('has opened what docs/threat-model.md lists, and nothing else', async () => {
    const { ledger = [] } = await scene.check();
    const page = readFileSync(new URL('../docs/threat-model.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| ([a-z ]+) \| (entities|coordinator) \| (\d+|–) \| (.+) \|$/gm)];
    expect(ledger.map(({ what, to, meaning }) => [what, to, meaning])).toEqual(
      rows.map(([, what, to, , meaning]) => [what, to, meaning]),
    );
    for (const [i, { maskBits }] of ledger.entries()) {
      expect(maskBits === undefined).toBe(rows[i][3] === '–');
      if (maskBits !== undefined) expect(maskBits).toBeGreaterThanOrEqual(40);
    }
  });
});
