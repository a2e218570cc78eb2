import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import fc from '../../test/support/seeded-fast-check.ts';
import { admitPart, difference } from './scored-parts.ts';

const bytesOf = (numbers: Iterable<number>) =>
  new Uint8Array(
    BigUint64Array.from(
      [...numbers].sort((a, b) => a - b),
      BigInt,
    ).buffer,
  );

test('the difference of two sets counts what is in one of them only', () => {
  const set = fc.uniqueArray(fc.nat(40));
  fc.assert(
    fc.property(set, set, (a, b) => {
      const wanted = [...a.filter((x) => !b.includes(x)), ...b.filter((x) => !a.includes(x))].length;
      expect(difference(bytesOf(a), bytesOf(b))).toBe(wanted);
    }),
  );
});

describeStores('sets of samples that are told of', (suite) => {
  const upTo = (end: number) => bytesOf(Array.from({ length: end }, (_, i) => i));

  test('attack: sets that differ by less than the least difference, from any one that was told of before', async () => {
    const { id } = await someMember(suite.db, await someFederation(suite.db), 'holder', 'labels');
    const admit = (end: number) => admitPart(suite.db, id, upTo(end), 10);
    expect(await admit(100)).toBe(true);
    expect(await admit(101)).toBe(false);
    expect(await admit(91)).toBe(false);
    expect(await admit(110)).toBe(true);
    expect(await admit(105)).toBe(false); // far enough from neither
    expect(await admit(100)).toBe(true); // the very same set tells nothing new
  });
});
