// Owners who wait for each other, on both databases. Two rooms on one PostgreSQL are what two coordinators are.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../../test/support/describe-stores.ts';
import { untrainedModel } from '../../../test/support/untrained-model.ts';
import { ServedModel } from '../../infer/served-model.ts';
import { listLiveEmbeddings } from '../../storage/live-embeddings.ts';
import { revokeMember } from '../../storage/members.ts';
import { type LiveContribution, LiveSamples } from './live-samples.ts';

const OWNERS = Array.from({ length: 30 }, (_, i) => `owner-${String(i).padStart(2, '0')}`);
const WIDTH = 3;

type Asked = Partial<Pick<LiveContribution, 'quorum' | 'deadlineMs' | 'model'>> & { room?: LiveSamples };

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
    for (const owner of OWNERS) await someMember(suite.db, federation, owner);
    const here = new LiveSamples(suite.store);
    const answer = ({ room = here, ...request }: Pick<LiveContribution, 'owner' | 'embedding'> & Asked) =>
      room.answer({ federation, sample: 's', quorum: undefined, deadlineMs: 50_000, model, ...request });
    const post = (owner: string, asked: Asked = {}) => answer({ owner, embedding: embeddingOf(owner), ...asked });
    return { federation, post, answer };
  };
  const alone = (owners: readonly string[]) => model.predict(new Map(owners.map((each) => [each, embeddingOf(each)])));

  const isTooLarge = (of: ServedModel, owners: readonly string[], embedding: Float32Array) =>
    of.predict(new Map(owners.map((owner) => [owner, embedding]))).then(
      () => false,
      ({ code }) => code === 'F3_PREDICTION_NOT_FINITE',
    );
  /** Which owner's numbers overflow, and with which signs, depends on the weights. */
  const largeAlone = async (of: ServedModel) => {
    for (const { owner } of of.card.owners) {
      for (let signs = 0; signs < 2 ** WIDTH; signs++) {
        const embedding = Float32Array.from({ length: WIDTH }, (_, i) => ((signs >> i) & 1 ? -3e38 : 3e38));
        if (await isTooLarge(of, [owner], embedding)) return { owner, embedding };
      }
    }
    throw new Error('no embedding is too large alone');
  };
  /** For all of them together, and for none alone. */
  const largeTogether = async () => {
    for (let size = 1e36; size < 3e38; size *= 1.2) {
      const embedding = new Float32Array(WIDTH).fill(size);
      const each = await Promise.all(OWNERS.map((owner) => isTooLarge(model, [owner], embedding)));
      if (!each.includes(true) && (await isTooLarge(model, OWNERS, embedding))) return embedding;
    }
    throw new Error('no embedding is too large together');
  };

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
    const [first, second, third, ...others] = OWNERS;
    let isAnswered = false;
    const patient = post(first).finally(() => {
      isAnswered = true;
    });
    const two = post(second, { quorum: 2 });
    expect(await two).toEqual(await alone([first, second]));
    expect(isAnswered).toBe(false);
    expect(await post(third, { deadlineMs: 0 })).toEqual(await alone([first, second, third]));
    expect(isAnswered).toBe(false);
    await Promise.all(others.map((owner) => post(owner)));
    expect(await patient).toEqual(await alone(OWNERS));
  });

  test('a revoked owner is not waited for, counts no longer, and is told so if it waits', async () => {
    const { federation, post } = await scene();
    const [gone, late, ...others] = OWNERS;
    const dismissed = expect(post(gone)).rejects.toMatchObject({ code: 'F3_AUTH_REVOKED' });
    const waiting = others.map((owner) => post(owner));
    const { db } = suite;
    await expect.poll(() => listLiveEmbeddings(db, federation, 's')).toHaveLength(29);
    await revokeMember(db, federation, gone);
    await dismissed;
    await revokeMember(db, federation, late);
    const expected = await alone(others);
    for (const answer of await Promise.all(waiting)) expect(answer).toEqual(expected);
    expect(await post(others[0])).toEqual(expected);
  });

  test('what does not fit the model is refused and not kept', async () => {
    const { federation, post } = await scene();
    await expect(post('nobody', { deadlineMs: 0 })).rejects.toMatchObject({ code: 'F3_FUSE_OWNER' });
    const rows = suite.db.selectFrom('liveEmbeddings').select('owner').where('federation', '=', federation);
    expect(await rows.execute()).toEqual([]);
  });

  test('what is too large for a finite prediction is refused and not kept: the others are answered without it', async () => {
    const { federation, answer } = await scene();
    const { card, weights } = await untrainedModel(OWNERS.slice(0, 3), WIDTH, ['calm', 'storm']);
    const small = await ServedModel.load(card, weights);
    const large = await largeAlone(small);
    const others = OWNERS.slice(0, 3).filter((owner) => owner !== large.owner);
    const post = (owner: string) => answer({ owner, embedding: embeddingOf(owner), quorum: 2, model: small });
    const waiting = post(others[0]);
    const refused = expect.objectContaining({ code: 'F3_PREDICTION_NOT_FINITE' });
    await expect(answer({ ...large, quorum: 2, model: small })).rejects.toThrow(refused);
    expect(await post(others[1])).toMatchObject({ owners: others });
    expect(await waiting).toMatchObject({ owners: others });
    const rows = suite.db.selectFrom('liveEmbeddings').select('owner').where('federation', '=', federation);
    expect(await rows.orderBy('owner').execute()).toEqual(others.map((owner) => ({ owner })));
    await small.dispose();
  });

  test('what is too large only together is told to all who wait', async () => {
    const { answer } = await scene();
    const large = await largeTogether();
    const waiting = await Promise.allSettled(OWNERS.map((owner) => answer({ owner, embedding: large })));
    const told = { status: 'rejected', reason: { code: 'F3_PREDICTION_NOT_FINITE' } };
    expect(waiting).toMatchObject(OWNERS.map(() => told));
  });

  if (suite.kind === 'postgres') {
    test('owners of one sample may be at different coordinators', async () => {
      const { post } = await scene();
      const there = new LiveSamples(suite.store);
      const answers = await Promise.all(OWNERS.map((owner, i) => post(owner, i % 2 ? { room: there } : {})));
      const expected = await alone(OWNERS);
      for (const answer of answers) expect(answer).toEqual(expected);
    });
  }
});
