// Fusion on shares in one call, beside the same fusion in the clear; numbers that are split and opened; what is refused.
import { afterAll, describe, expect, it } from 'vitest';
import { toyBundle, toyId, toyLabels } from '../../../test/support/toy-bundles.ts';
import { Scheme } from '../../shares/scheme.ts';
import { openNumbers, shareNumbers } from '../../shares/share-numbers.ts';
import { fuse } from '../fuse.ts';
import { fuseWithEntities } from './fuse-with-entities.ts';

const refusal = (code: string) => expect.objectContaining({ code });

describe('fuseWithEntities', async () => {
  const [OWNERS, SAMPLES] = [3, 60];
  const bundles = Array.from({ length: OWNERS }, (_, i) =>
    toyBundle(i, { samples: SAMPLES, saw: (owner, s) => owner !== 1 || s % 5 !== 0 }),
  );
  const classes = ['calm', 'storm'];
  const labels = Object.fromEntries(
    Array.from(toyLabels(SAMPLES, 2, 1), (label, s) => [toyId(s), classes[label]] as const),
  );
  const config = { preset: 'shares' as const, epochs: 3, hidden: 4, batch: 20 };
  const request = { bundles, labels, split: 1, config };
  const epochs: number[] = [];
  const model = await fuseWithEntities({
    ...request,
    onProgress: (progress) => progress.stage === 'training' && epochs.push(progress.epoch),
  });
  afterAll(() => model.dispose());

  it('comes to the scores and predictions of the clear', async () => {
    expect(epochs).toEqual([1, 2, 3]);
    const clear = await fuse({ ...request, threads: 1 });
    expect(model.card.validation.loss).toBeCloseTo(clear.facts.validation.loss, 2);
    const expected = [...(await clear.predict(bundles))].find(({ sample }) => sample === toyId(7));
    const [answer, without] = await Promise.all([
      model.predict([toyId(7)]),
      model.predict([toyId(5), toyId(7)], { without: ['owner-0'] }),
    ]);
    expect(answer[0].owners).toEqual(['owner-0', 'owner-1', 'owner-2']);
    expect(answer[0].probabilities.storm).toBeCloseTo(expected?.probabilities.storm ?? 0, 2);
    expect(without.map(({ owners }) => owners)).toEqual([['owner-2'], ['owner-1', 'owner-2']]);
    await clear.dispose();
  });

  it('shows what was opened', async () => {
    const ledger = await model.ledger();
    expect(ledger.find(({ what }) => what === 'logits')).toMatchObject({ to: 'coordinator' });
    for (const { to, maskBits } of ledger) if (to === 'entities') expect(maskBits).toBeGreaterThanOrEqual(40);
  });

  it('refuses what it cannot do, each with its reason', async () => {
    const choose = (change: object) => fuseWithEntities({ ...request, ...change });
    await expect(choose({ config: { preset: 'recommended' } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(choose({ config: { ...config, encoding: 'quantiles' } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(choose({ entities: 2 })).rejects.toEqual(refusal('F3_SHARES_SCHEME'));
    await expect(model.predict(['nobody-has-it'])).rejects.toEqual(refusal('F3_FUSE_OWNER'));
    await expect(model.predict([toyId(1)], { without: ['stranger'] })).rejects.toEqual(refusal('F3_FUSE_OWNER'));
    await expect(model.predict([toyId(1)], { without: [''] })).rejects.toThrow('got an empty name');
    const stopped = AbortSignal.abort(new Error('enough'));
    await expect(choose({ signal: stopped })).rejects.toThrow('enough');
  });
});

describe('numbers', () => {
  const scheme = new Scheme(1, 5);
  const values = [2.5, -1, 0, 1e-6, 60_000];

  it('are opened by any two of five entities, and by more', async () => {
    const shares = await shareNumbers(scheme, values);
    for (const set of [
      [1, 2],
      [5, 3],
      [1, 2, 3, 4, 5],
    ]) {
      const opened = await openNumbers(scheme, new Map(set.map((entity) => [entity, shares[entity - 1]])));
      for (const [i, value] of values.entries()) expect(Math.abs(opened[i] - value)).toBeLessThan(2 ** -24);
    }
  });

  it('are refused where shares are too few, too long, of strangers, or wrong', async () => {
    const shares = await shareNumbers(scheme, values);
    const open = (...held: [number, Uint8Array][]) => openNumbers(scheme, new Map(held));
    await expect(open([1, shares[0]])).rejects.toEqual(refusal('F3_SHARES_MISSING'));
    await expect(open()).rejects.toEqual(refusal('F3_SHARES_MISSING'));
    await expect(open([1, shares[0]], [9, shares[1]])).rejects.toEqual(refusal('F3_ARGUMENT'));
    await expect(open([1, shares[0]], [2, shares[1].slice(16)])).rejects.toEqual(refusal('F3_ARGUMENT'));
    const wrong = shares.map((share, i) => [i + 1, i === 3 ? share.toReversed() : share] as [number, Uint8Array]);
    await expect(open(...wrong)).rejects.toThrow(/entity 4/);
    await expect(shareNumbers(scheme, [Number.NaN])).rejects.toEqual(refusal('F3_SHARES_RANGE'));
  });
});
