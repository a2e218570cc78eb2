// Inference tokens, on both databases.
import { expect, test } from 'vitest';
import { describeStores, someFederation } from '../../test/support/describe-stores.ts';
import { sha256 } from '../base/sha256.ts';
import {
  createInferenceToken,
  findInferenceToken,
  inferenceTokenHash,
  listInferenceTokens,
  renewInferenceToken,
  revokeInferenceToken,
  touchInferenceToken,
} from './inference-tokens.ts';
import { useOnce } from './used-tokens.ts';

describeStores('an inference token', (suite) => {
  const create = (federation: string, name = 'dashboard', expires: Date | null = null) =>
    createInferenceToken(suite.db, { federation, name, createdBy: 'ops', expires });
  const revision = async () => (await useOnce(suite.db, [], [])).revision;

  test('is found by the hash of its secret, which is 256 random bits and stored nowhere', async () => {
    const federation = await someFederation(suite.db);
    const [one, two] = [await create(federation, 'a'), await create(federation, 'b')];
    expect(one.secret).toMatch(/^f3t_[\w-]{43}$/);
    expect(Buffer.from(one.secret.slice(4), 'base64url')).toHaveLength(32);
    expect(one.secret).not.toBe(two.secret);
    expect(inferenceTokenHash(one.secret)).toBe(sha256(one.secret));
    expect(await findInferenceToken(suite.db, sha256(one.secret))).toMatchObject({ id: one.id, name: 'a', federation });
    expect(await findInferenceToken(suite.db, sha256('f3t_x'))).toBeUndefined();
    const rows = await suite.db.selectFrom('inferenceTokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(one.secret.slice(4));
  });

  test.each(['', 'f3t_', 'f3t_short', `f3t_${'x'.repeat(44)}`, `F3T_${'x'.repeat(43)}`, `f3t_${'é'.repeat(43)}`])(
    '%j cannot be one',
    (text) => expect(inferenceTokenHash(text)).toBeUndefined(),
  );

  test('has a name of its own until it is revoked', async () => {
    const federation = await someFederation(suite.db);
    const { id } = await create(federation);
    await expect(create(federation)).rejects.toMatchObject({ code: 'F3_TOKEN_EXISTS' });
    expect(await create(await someFederation(suite.db))).toMatchObject({ name: 'dashboard' });
    await expect(revokeInferenceToken(suite.db, 'elsewhere', id)).rejects.toMatchObject({ code: 'F3_TOKEN_UNKNOWN' });
    expect((await revokeInferenceToken(suite.db, federation, id)).revoked).toBeInstanceOf(Date);
    await expect(revokeInferenceToken(suite.db, federation, id)).rejects.toMatchObject({ code: 'F3_TOKEN_UNKNOWN' });
    await expect(renewInferenceToken(suite.db, id)).rejects.toMatchObject({ code: 'F3_TOKEN_UNKNOWN' });
    expect(await listInferenceTokens(suite.db, federation)).toEqual([]);
    expect((await create(federation)).id).not.toBe(id);
  });

  test('gets another secret when its answer was lost, and the lost one is void', async () => {
    const federation = await someFederation(suite.db);
    const first = await create(federation);
    const second = await renewInferenceToken(suite.db, first.id);
    expect(second.secret).not.toBe(first.secret);
    expect(await findInferenceToken(suite.db, sha256(first.secret))).toBeUndefined();
    expect(await findInferenceToken(suite.db, sha256(second.secret))).toMatchObject({ id: first.id });
  });

  test('raises the revision when it ends, not when it is used', async () => {
    const federation = await someFederation(suite.db);
    const { id } = await create(federation);
    const before = await revision();
    const [early, late] = [new Date('2026-05-01T12:00:00Z'), new Date('2026-05-01T13:00:00Z')];
    await touchInferenceToken(suite.db, id, late);
    await touchInferenceToken(suite.db, id, early); // another process was slower
    expect(await listInferenceTokens(suite.db, federation)).toMatchObject([{ lastUsed: late }]);
    expect(await revision()).toBe(before);
    await renewInferenceToken(suite.db, id);
    const between = await revision();
    expect(between).toBeGreaterThan(before);
    await revokeInferenceToken(suite.db, federation, id);
    expect(await revision()).toBeGreaterThan(between);
  });
});
