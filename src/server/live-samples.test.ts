// Owners who wait for each other, on both databases. Two rooms on one PostgreSQL are what two coordinators are.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeStores, someFederation } from '../../test/support/describe-stores.ts';
import { untrainedModel } from '../../test/support/untrained-model.ts';
import { ServedModel } from '../infer/served-model.ts';
import { LiveSamples } from './live-samples.ts';

const OWNERS = Array.from({ length: 30 }, (_, i) => `owner-${String(i).padStart(2, '0')}`);
const WIDTH = 3;

describeStores('live samples', (suite) => {
  let model: ServedModel;
  beforeAll(async () => {
    const { card, weights } = await untrainedModel(OWNERS, WIDTH, ['calm', 'storm']);
    model = await ServedModel.load(card, weights);
  });
  afterAll(() => model?.dispose());

  const embeddingOf = (owner: string) => Float32Array.of(OWNERS.indexOf(owner) / 10, 1, -1);
  const scene = async () => {
    const federation = await someFederation(suite.db);
    const here = new LiveSamples(suite.store);
    const post = (owner: string, { room = here, deadlineMs = 50_000, quorum = undefined as number | undefined } = {}) =>
      room.answer({ federation, sample: 's', owner, embedding: embeddingOf(owner), quorum, deadlineMs, model });
    return { federation, post };
  };
  const alone = (owners: readonly string[]) => model.predict(new Map(owners.map((each) => [each, embeddingOf(each)])));

  test('all come at once: each gets the answer with everybody', async () => {
    const { post } = await scene();
    const answers = await Promise.all(OWNERS.map((owner) => post(owner)));
    const expected = await alone(OWNERS);
    for (const answer of answers) expect(answer).toEqual(expected);
  });

  test('the last one brings the answer to those who waited, and whoever asks again has it at once', async () => {
    const { post } = await scene();
    const [last, ...others] = OWNERS;
    let answered = 0;
    const waiting = others.map((owner) => post(owner).finally(() => answered++));
    await sleep(100);
    expect(answered).toBe(0);
    const expected = await alone(OWNERS);
    expect(await post(last)).toEqual(expected);
    for (const answer of await Promise.all(waiting)) expect(answer).toEqual(expected);
    expect(await post(others[0])).toEqual(expected);
  });

  test('a quorum is for who asked for it; at a deadline the answer is of those who are there', async () => {
    const { post } = await scene();
    const [first, second, third] = OWNERS;
    let isAnswered = false;
    const patient = post(first, { deadlineMs: 3000 }).finally(() => {
      isAnswered = true;
    });
    const two = post(second, { quorum: 2 });
    expect(await two).toEqual(await alone([first, second]));
    expect(isAnswered).toBe(false);
    expect(await post(third, { deadlineMs: 0 })).toEqual(await alone([first, second, third]));
    expect(await patient).toEqual(await alone([first, second, third]));
  });

  test('what does not fit the model is refused and not kept', async () => {
    const { federation, post } = await scene();
    await expect(post('nobody', { deadlineMs: 0 })).rejects.toMatchObject({ code: 'F3_FUSE_OWNER' });
    const rows = suite.db.selectFrom('liveEmbeddings').select('owner').where('federation', '=', federation);
    expect(await rows.execute()).toEqual([]);
  });

  test.runIf(suite.kind === 'postgres')('owners of one sample may be at different coordinators', async () => {
    const { post } = await scene();
    const there = new LiveSamples(suite.store);
    const answers = await Promise.all(OWNERS.map((owner, i) => post(owner, i % 2 ? { room: there } : {})));
    const expected = await alone(OWNERS);
    for (const answer of answers) expect(answer).toEqual(expected);
  });
});
