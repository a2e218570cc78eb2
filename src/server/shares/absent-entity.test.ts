// Four entities where three suffice: trainings and predictions go on while any one of them is away, and say who is missing when two are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharesScene, toyOwners } from '../../../test/support/shares-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyId } from '../../../test/support/toy-bundles.ts';

const [OWNERS, SAMPLES] = [3, 40];
const LONG_MS = 600_000;

describe('a federation of four entities, any one of which learns nothing', () => {
  const dir = suiteDirectory();
  const bundles = toyOwners(OWNERS, SAMPLES);
  const request = { config: { epochs: 4, patience: 4, batch: 16, hidden: 4 }, split: 1 };
  const refusal = (code: string, text: string) =>
    expect.objectContaining({ code, message: expect.stringContaining(text) });
  let scene: SharesScene;
  const ask = async () =>
    (await scene.client('operator').predict('grid', { samples: [{ id: toyId(3) }] })).predictions[0].probabilities[1];
  const opened = async () => {
    const { ledger = [] } = await scene.check();
    return new Map(ledger.map(({ what, count }) => [what, count]));
  };

  beforeAll(async () => {
    scene = await SharesScene.start(dir, { entities: 4 });
    await scene.populate(bundles, SAMPLES);
  }, LONG_MS);
  afterAll(() => scene?.close(), LONG_MS);

  it(
    'trains to the end without an entity that is away, to the losses of a training with all of them',
    async () => {
      const undisturbed = await scene.train(request);
      expect(undisturbed).toMatchObject({ state: 'done', model: 1, epoch: 4 });
      const before = await opened();
      await scene.stopEntity(4);
      const trained = await scene.train(request);
      expect(trained).toMatchObject({ state: 'done', model: 2, epoch: 4 });
      const difference = (trained.validationLoss as number) - (undisturbed.validationLoss as number);
      expect(Math.abs(difference)).toBeLessThan(1e-3);
      // What three of them opened is in the ledger beside what all four have.
      const numbers = before.get('hidden gradients') as number;
      expect((await opened()).get('hidden gradients')).toBeGreaterThanOrEqual(2 * numbers);
    },
    LONG_MS,
  );

  it(
    'predicts without any one of them, by name and live, where the others hold the model',
    async () => {
      await scene.client('operator').activate('grid', 1);
      const [{ owner, embeddings, samples, width }] = bundles;
      const row = samples.indexOf(toyId(3));
      const embedding = embeddings.slice(row * width, (row + 1) * width);
      const all = await ask(); // entity 4 is away
      const alone = (name: string) => scene.live(owner, name, embedding, { quorum: 1 });
      const first = (await alone('without-4')) as unknown as { probabilities: number[] };
      await scene.startEntity(4);
      await scene.stopEntity(2);
      expect(Math.abs((await ask()) - all)).toBeLessThan(1e-3);
      const second = (await alone('without-2')) as unknown as { probabilities: number[] };
      expect(Math.abs(second.probabilities[1] - first.probabilities[1])).toBeLessThan(1e-3);
    },
    LONG_MS,
  );

  it(
    'names the entity that has no share of a model because it was away when the others finished it',
    async () => {
      await scene.client('operator').activate('grid', 2);
      await expect(ask()).rejects.toEqual(refusal('F3_SHARES_STATE', 'entity 4'));
      await scene.startEntity(2);
      expect(await ask()).toBeGreaterThan(0);
    },
    LONG_MS,
  );

  it(
    'names one of two that are away, and predicts again when it is back',
    async () => {
      await scene.stopEntity(1);
      await scene.stopEntity(3);
      await expect(ask()).rejects.toEqual(refusal('F3_SHARES_AWAY', 'entity 1'));
      await scene.startEntity(1);
      await scene.startEntity(3);
      expect(await ask()).toBeGreaterThan(0);
    },
    LONG_MS,
  );
});
