// Which row of whose shares a sample is in.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { encodeAnnouncement } from '../../shares/announcement.ts';
import { manifestRoot } from '../../shares/share-manifest.ts';
import { RowIndex } from './row-index.ts';

/** What an owner announces of a bundle with these samples. Whether it was signed is asked when it comes, not here. */
const announced = (owner: string, samples: string[], statement = `signed by ${owner}`) =>
  encodeAnnouncement({ owner, samples, sampleType: 'text' }, { statement, samplesSalt: new Uint8Array(32) });

it('gives the row of a sample at every owner, and −1 where the owner does not have it or has announced nothing', () => {
  const index = new RowIndex(3);
  index.add(0, announced('a', ['s1', 's2', 's3']), 'a');
  index.add(2, announced('c', ['s3', 's1']), 'c');
  expect(index.rowsOf('s1')).toEqual(Int32Array.of(0, -1, 1));
  expect(index.rowsOf('s2')).toEqual(Int32Array.of(1, -1, -1));
  expect(index.rowsOf('s3')).toEqual(Int32Array.of(2, -1, 0));
  expect(index.rowsOf('s4')).toEqual(Int32Array.of(-1, -1, -1));
  expect(index.roots).toEqual([manifestRoot('signed by a'), null, manifestRoot('signed by c')]);
});

it('a newer bundle of an owner takes the place of the one before, with all of its rows', () => {
  const index = new RowIndex(1);
  index.add(0, announced('a', ['s1', 's2']), 'a');
  index.add(0, announced('a', ['s2'], 'signed anew'), 'a');
  expect(index.rowsOf('s1')).toEqual(Int32Array.of(-1));
  expect(index.rowsOf('s2')).toEqual(Int32Array.of(0));
  expect(index.roots).toEqual([manifestRoot('signed anew')]);
});

it.each(['__proto__', 'constructor', 'toString'])('a sample named %s is a sample like any other', (id) => {
  const index = new RowIndex(2);
  index.add(1, announced('b', ['s1', id]), 'b');
  expect(index.rowsOf(id)).toEqual(Int32Array.of(-1, 1));
});

it('attack: many ids that nobody else has cost no place at other owners', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => createHash('sha256').update(`${i}`).digest('hex'));
  const index = new RowIndex(1000);
  index.add(0, announced('a', ids), 'a');
  index.add(999, announced('z', [ids[7]]), 'z');
  const rows = index.rowsOf(ids[7]);
  expect([rows.length, rows[0], rows[1], rows[999]]).toEqual([1000, 7, -1, 0]);
});
