// What nobody will ask for again goes, what somebody may ask for stays, on both databases.
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import { putLiveEmbeddings } from '../storage/live-embeddings.ts';
import { findUpload, openUpload } from '../storage/uploads.ts';
import { tidy } from './housekeeping.ts';

const later = (days: number) => new Date(Date.now() + days * 24 * 3_600_000);

describeStores('housekeeping', (suite) => {
  test('throws embeddings away when their time is over, and uploads that were left alone for two weeks', async () => {
    const { db, store } = suite;
    const federation = await someFederation(db);
    const { id: member } = await someMember(db, federation);
    const upload = await openUpload(db, { federation, member, kind: 'bundle', size: 9, sha256: 'a'.repeat(64) });
    const live = { federation, sample: 's', owner: 'plant-7', embedding: Float32Array.of(1) };
    await putLiveEmbeddings(db, [{ ...live, expires: later(1) }]);
    const kept = () => db.selectFrom('liveEmbeddings').select('owner').where('federation', '=', federation).execute();
    await tidy(store);
    expect(await kept()).toHaveLength(1);
    await tidy(store, later(13));
    expect(await kept()).toEqual([]);
    expect(await findUpload(db, upload.id)).toBeDefined();
    await tidy(store, later(15));
    expect(await findUpload(db, upload.id)).toBeUndefined();
  });
});
