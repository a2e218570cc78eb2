// Uploads, blobs, bundles and label sets, on both databases.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../test/support/describe-stores.ts';
import { F3Error } from '../errors.ts';
import { blobSize, CHUNK_BYTES, readBlob, streamBlob, writeBlob } from './blobs.ts';
import { addBundle, latestBundles, listBundles, requireBundle } from './bundles.ts';
import { addLabelSet, latestLabelSet, listLabelSets, requireLabelSet } from './label-sets.ts';
import { revokeMember } from './members.ts';
import type { Db, JsonObject, UploadRow } from './schema.ts';
import { beginCheck, forgetChecks, storeVerdict, type UploadVerdict } from './upload-verdicts.ts';
import { appendToUpload, completeUpload, findUpload, openUpload, removeStaleUploads } from './uploads.ts';

const MIB = 2 ** 20;

/** Bytes that are the same for the same seed and differ everywhere else. */
function someBytes(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed >>> 0 || 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function begin(db: Db, bytes: Uint8Array, announced = sha256(bytes)): Promise<UploadRow> {
  const federation = await someFederation(db);
  const member = await someMember(db, federation);
  return openUpload(db, { federation, member: member.id, kind: 'bundle', size: bytes.length, sha256: announced });
}

const asBundle = {
  check: async ({ size }: UploadRow): Promise<UploadVerdict> => ({ summary: { samples: size } }),
  insert: async (trx: Db, { federation, member, blob, sha256, size }: UploadRow, summary: JsonObject) => {
    const { version } = await addBundle(trx, { federation, owner: 'plant-7', member, blob, sha256, size, summary });
    return version;
  },
  newest: async (db: Db, { federation }: UploadRow) => (await latestBundles(db, federation))[0].version,
};

describeStores('uploads', (suite) => {
  test('bytes of any length come back as they were, whole, in a stream and in part', async () => {
    for (const length of [0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 12_345]) {
      const bytes = someBytes(length, length);
      const blob = await writeBlob(suite.db, bytes);
      expect(await blobSize(suite.db, blob)).toBe(length);
      expect(Buffer.compare(await readBlob(suite.db, blob), bytes)).toBe(0);
    }
    const bytes = someBytes(6 * MIB);
    const blob = await writeBlob(suite.db, bytes);
    const parts: Uint8Array[] = [];
    for await (const part of streamBlob(suite.db, blob, 1_500_000, 5_500_000)) parts.push(part);
    expect(Buffer.compare(Buffer.concat(parts), bytes.subarray(1_500_000, 5_500_000))).toBe(0);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(CHUNK_BYTES);
  });

  test('bytes that are missing are an error, not a shorter answer', async () => {
    const blob = await writeBlob(suite.db, someBytes(3 * MIB));
    await suite.db.deleteFrom('blobChunks').where('blob', '=', blob).where('position', '=', MIB).execute();
    await expect(readBlob(suite.db, blob)).rejects.toMatchObject({ code: 'F3_STORAGE_BLOB' });
  });

  test('an upload grows piece by piece and becomes a bundle', async () => {
    const bytes = someBytes(2_500_000);
    const upload = await begin(suite.db, bytes);
    expect(upload).toMatchObject({ received: 0, state: 'open', version: null, size: bytes.length });
    for (let offset = 0; offset < bytes.length; offset += 1_200_000) {
      const piece = bytes.subarray(offset, offset + 1_200_000);
      expect(await appendToUpload(suite.db, upload.id, offset, piece)).toBe(offset + piece.length);
    }
    const complete = await completeUpload(suite.db, upload.id, asBundle);
    expect(complete).toMatchObject({ state: 'complete', version: 1, sha256: sha256(bytes) });
    const [bundle] = await latestBundles(suite.db, upload.federation);
    expect(bundle).toMatchObject({ owner: 'plant-7', version: 1, summary: { samples: bytes.length } });
    expect(Buffer.compare(await readBlob(suite.db, bundle.blob), bytes)).toBe(0);
  });

  test('what is no longer the newest counts once more when it is asked for, and only then', async () => {
    const [first, second] = [someBytes(1000), someBytes(2000, 2)];
    const upload = await begin(suite.db, first);
    const { federation, member } = upload;
    await appendToUpload(suite.db, upload.id, 0, first);
    await completeUpload(suite.db, upload.id, asBundle);
    const complete = async (again: boolean) => (await completeUpload(suite.db, upload.id, asBundle, { again })).version;
    expect(await complete(true)).toBe(1); // it is the newest
    const announced = { federation, member, kind: 'bundle', size: 2000, sha256: sha256(second) } as const;
    const other = await openUpload(suite.db, announced);
    await appendToUpload(suite.db, other.id, 0, second);
    expect(await completeUpload(suite.db, other.id, asBundle)).toMatchObject({ version: 2 });
    expect(await complete(false)).toBe(1);
    expect(await Promise.all([complete(true), complete(true), complete(true)])).toEqual([3, 3, 3]);
    const [newest] = await latestBundles(suite.db, federation);
    expect(newest).toMatchObject({ version: 3, sha256: sha256(first), summary: { samples: 1000 } });
  });

  test('opening again finds the upload, under way or complete, and another content another one', async () => {
    const bytes = someBytes(1000);
    const upload = await begin(suite.db, bytes);
    const { federation, member } = upload;
    const same = { federation, member, kind: 'bundle', size: 1000, sha256: sha256(bytes) } as const;
    await appendToUpload(suite.db, upload.id, 0, bytes.subarray(0, 400));
    expect(await openUpload(suite.db, same)).toMatchObject({ id: upload.id, received: 400 });
    await appendToUpload(suite.db, upload.id, 400, bytes.subarray(400));
    await completeUpload(suite.db, upload.id, asBundle);
    expect(await openUpload(suite.db, same)).toMatchObject({ id: upload.id, state: 'complete', version: 1 });
    expect((await openUpload(suite.db, { ...same, kind: 'labels' })).id).not.toBe(upload.id);
    expect((await openUpload(suite.db, { ...same, sha256: sha256(Buffer.of(1)) })).id).not.toBe(upload.id);
    await expect(openUpload(suite.db, { ...same, size: 7 })).rejects.toMatchObject({ code: 'F3_UPLOAD_STATE' });
  });

  test('opened many times at once it is one upload', async () => {
    const { federation, member } = await begin(suite.db, someBytes(10));
    const same = { federation, member, kind: 'bundle', size: 20, sha256: sha256(Buffer.of(7)) } as const;
    const uploads = await Promise.all(Array.from({ length: 8 }, () => openUpload(suite.db, same)));
    expect(new Set(uploads.map(({ id }) => id)).size).toBe(1);
  });

  test('a piece sent again is fine; a gap, an overlap or other bytes are refused with the right offset', async () => {
    const bytes = someBytes(1000);
    const { id } = await begin(suite.db, bytes);
    await appendToUpload(suite.db, id, 0, bytes.subarray(0, 600));
    expect(await appendToUpload(suite.db, id, 0, bytes.subarray(0, 600))).toBe(600);
    expect(await appendToUpload(suite.db, id, 200, bytes.subarray(200, 500))).toBe(600);
    const refused = { code: 'F3_UPLOAD_OFFSET', message: expect.stringContaining('must be 600') };
    await expect(appendToUpload(suite.db, id, 700, bytes.subarray(700))).rejects.toMatchObject(refused);
    await expect(appendToUpload(suite.db, id, 500, bytes.subarray(500))).rejects.toMatchObject(refused);
    await expect(appendToUpload(suite.db, id, 0, Buffer.alloc(600))).rejects.toMatchObject(refused);
    expect(await findUpload(suite.db, id)).toMatchObject({ received: 600 });
  });

  test('of many who append at once one does, and the content stays whole', async () => {
    const bytes = someBytes(900_000);
    const upload = await begin(suite.db, bytes);
    for (let offset = 0; offset < bytes.length; offset += 300_000) {
      const piece = bytes.subarray(offset, offset + 300_000);
      const other = someBytes(300_000, 99);
      const tries = [piece, other, piece, piece].map((content) => appendToUpload(suite.db, upload.id, offset, content));
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
      const chunks = await blobSize(suite.db, upload.blob);
      expect(chunks).toBe(offset + piece.length);
      expect(await findUpload(suite.db, upload.id)).toMatchObject({ received: chunks });
    }
  });

  test('more than was announced is refused', async () => {
    const bytes = someBytes(100);
    const { id } = await begin(suite.db, bytes);
    await expect(appendToUpload(suite.db, id, 0, someBytes(101))).rejects.toMatchObject({ code: 'F3_UPLOAD_SIZE' });
    expect(await findUpload(suite.db, id)).toMatchObject({ received: 0 });
  });

  test('an incomplete upload is not completed, and goes on', async () => {
    const bytes = someBytes(100);
    const { id } = await begin(suite.db, bytes);
    await appendToUpload(suite.db, id, 0, bytes.subarray(0, 60));
    await expect(completeUpload(suite.db, id, asBundle)).rejects.toMatchObject({ code: 'F3_UPLOAD_STATE' });
    await appendToUpload(suite.db, id, 60, bytes.subarray(60));
    expect(await completeUpload(suite.db, id, asBundle)).toMatchObject({ version: 1 });
  });

  test('bytes of another hash than announced leave nothing behind', async () => {
    const bytes = someBytes(100);
    const upload = await begin(suite.db, bytes, sha256(Buffer.of(0)));
    await appendToUpload(suite.db, upload.id, 0, bytes);
    await storeVerdict(suite.db, upload.id, { error: new F3Error('F3_UPLOAD_HASH', 'others') });
    expect(await findUpload(suite.db, upload.id)).toBeUndefined();
    expect(await blobSize(suite.db, upload.blob)).toBe(0);
  });

  test('poisoned content is refused once and for good, without its bytes and without another check', async () => {
    const bytes = someBytes(100);
    const upload = await begin(suite.db, bytes);
    await appendToUpload(suite.db, upload.id, 0, bytes);
    let checks = 0;
    const check = async ({ id }: UploadRow) => {
      checks++;
      return storeVerdict(suite.db, id, { error: new F3Error('F3_BUNDLE_FORMAT', 'not a bundle') });
    };
    for (let time = 0; time < 3; time++) {
      const refused = { code: 'F3_BUNDLE_FORMAT', message: 'not a bundle' };
      await expect(completeUpload(suite.db, upload.id, { ...asBundle, check })).rejects.toMatchObject(refused);
    }
    expect(checks).toBe(1);
    expect(await blobSize(suite.db, upload.blob)).toBe(0);
    expect(await listBundles(suite.db, upload.federation)).toEqual([]);
    const { federation, member, size, kind } = upload;
    const again = { federation, member, kind, size, sha256: sha256(bytes) };
    expect(await openUpload(suite.db, again)).toMatchObject({ id: upload.id, state: 'refused', received: 100 });
    await expect(appendToUpload(suite.db, upload.id, 0, bytes)).rejects.toMatchObject({ code: 'F3_UPLOAD_STATE' });
    // Another version of f3 may know better.
    const verdict = JSON.stringify({ refusal: { code: 'F3_BUNDLE_FORMAT', message: 'x' }, by: '0.0.1' });
    await suite.db.updateTable('uploads').set({ verdict }).where('id', '=', upload.id).execute();
    expect(await openUpload(suite.db, again)).toMatchObject({ state: 'open', received: 0 });
  });

  test('an upload whose check ends the process again and again is refused', async () => {
    const { id } = await begin(suite.db, someBytes(100));
    expect(await beginCheck(suite.db, id, 'bundle')).toBeUndefined();
    await forgetChecks(suite.db, id); // because it ended, without a verdict
    for (let death = 0; death < 20; death++) expect(await beginCheck(suite.db, id, 'bundle')).toBeUndefined();
    const verdict = { refusal: { code: 'F3_UPLOAD_LIMIT' } };
    expect(await beginCheck(suite.db, id, 'bundle')).toMatchObject(verdict);
    expect(await findUpload(suite.db, id)).toMatchObject({ state: 'refused', verdict });
  });

  test('a refusal that quotes a NUL or half a character is kept with signs in their place', async () => {
    const { id } = await begin(suite.db, someBytes(10));
    await storeVerdict(suite.db, id, { error: new F3Error('F3_BUNDLE_FORMAT', 'name \0 and \uD800') });
    const refusal = { code: 'F3_BUNDLE_FORMAT', message: 'name \uFFFD and \uFFFD' };
    expect(await findUpload(suite.db, id)).toMatchObject({ state: 'refused', verdict: { refusal } });
  });

  test('of content that is refused without end the last hundred refusals are remembered', async () => {
    const { federation, member } = await begin(suite.db, someBytes(10));
    for (let i = 0; i < 103; i++) {
      const opened = { federation, member, kind: 'bundle', size: 1, sha256: sha256(Buffer.of(i)) } as const;
      const { id } = await openUpload(suite.db, opened);
      await storeVerdict(suite.db, id, { error: new F3Error('F3_BUNDLE_FORMAT', 'no') });
    }
    const refused = await suite.db
      .selectFrom('uploads')
      .select('id')
      .where('state', '=', 'refused')
      .where('member', '=', member)
      .execute();
    expect(refused).toHaveLength(100);
  });

  test('when the machine fails, the upload stays to be completed again', async () => {
    const bytes = someBytes(100);
    const { id, federation } = await begin(suite.db, bytes);
    await appendToUpload(suite.db, id, 0, bytes);
    const check = async () => {
      throw new F3Error('F3_OUT_OF_MEMORY', 'full');
    };
    await expect(completeUpload(suite.db, id, { ...asBundle, check })).rejects.toMatchObject({
      code: 'F3_OUT_OF_MEMORY',
    });
    const insert = async (trx: Db, upload: UploadRow, summary: JsonObject) => {
      await asBundle.insert(trx, upload, summary);
      throw new Error('in the middle');
    };
    await expect(completeUpload(suite.db, id, { ...asBundle, insert })).rejects.toThrow('in the middle');
    expect(await listBundles(suite.db, federation)).toEqual([]);
    expect(await completeUpload(suite.db, id, asBundle)).toMatchObject({ version: 1 });
  });

  test('of a member that is revoked while it is checked it does not count', async () => {
    const bytes = someBytes(1000);
    const upload = await begin(suite.db, bytes);
    await appendToUpload(suite.db, upload.id, 0, bytes);
    const revoked = completeUpload(suite.db, upload.id, {
      ...asBundle,
      check: async () => {
        await revokeMember(suite.db, upload.federation, 'plant-7');
        return { summary: { samples: 1 } };
      },
    });
    await expect(revoked).rejects.toMatchObject({ code: 'F3_AUTH_REVOKED' });
    expect(await listBundles(suite.db, upload.federation)).toEqual([]);
    expect(await findUpload(suite.db, upload.id)).toMatchObject({ state: 'open' });
  });

  test('completed by many at once it counts once', async () => {
    const bytes = someBytes(5000);
    const { id, federation } = await begin(suite.db, bytes);
    await appendToUpload(suite.db, id, 0, bytes);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => completeUpload(suite.db, id, asBundle)));
    expect(outcomes.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await listBundles(suite.db, federation)).toHaveLength(1);
    await expect(appendToUpload(suite.db, id, 5000, Buffer.of(1))).rejects.toMatchObject({ code: 'F3_UPLOAD_SIZE' });
    await expect(appendToUpload(suite.db, id, 0, Buffer.of(255))).rejects.toMatchObject({ code: 'F3_UPLOAD_STATE' });
  });

  test('unknown uploads are an error of their own, stale ones are removed, complete ones never', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    await expect(appendToUpload(suite.db, nobody, 0, Buffer.of(1))).rejects.toMatchObject({
      code: 'F3_UPLOAD_UNKNOWN',
    });
    await expect(completeUpload(suite.db, nobody, asBundle)).rejects.toMatchObject({ code: 'F3_UPLOAD_UNKNOWN' });
    const bytes = someBytes(100);
    const stale = await begin(suite.db, bytes);
    const done = await begin(suite.db, bytes);
    await appendToUpload(suite.db, done.id, 0, bytes);
    await completeUpload(suite.db, done.id, asBundle);
    expect(await removeStaleUploads(suite.db, new Date(0))).toBe(0);
    await removeStaleUploads(suite.db, new Date(Date.now() + 1000));
    expect(await findUpload(suite.db, stale.id)).toBeUndefined();
    expect(await findUpload(suite.db, done.id)).toMatchObject({ state: 'complete' });
  });

  test('bundles are numbered per owner without gaps, also at the same time, and old ones stay', async () => {
    const federation = await someFederation(suite.db);
    const blob = await writeBlob(suite.db, Buffer.of(1));
    for (const owner of ['a', 'b']) {
      const { id: member } = await someMember(suite.db, federation, owner);
      const bundle = { federation, owner, member, blob, sha256: 'x', size: 1, summary: {} };
      const made = await Promise.all([1, 2, 3].map(() => addBundle(suite.db, bundle)));
      expect(made.map(({ version }) => version).sort()).toEqual([1, 2, 3]);
    }
    expect((await latestBundles(suite.db, federation)).map(({ owner, version }) => [owner, version])).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
    expect(await listBundles(suite.db, federation, 'b')).toHaveLength(3);
    expect(await requireBundle(suite.db, federation, 'a', 2)).toMatchObject({ version: 2 });
    await expect(requireBundle(suite.db, federation, 'a', 4)).rejects.toMatchObject({ code: 'F3_BUNDLE_UNKNOWN' });
  });

  test('a bundle of a revoked owner counts again when the name joins as an owner, and not in another role', async () => {
    const federation = await someFederation(suite.db);
    const { id: member } = await someMember(suite.db, federation, 'a');
    const blob = await writeBlob(suite.db, Buffer.of(1));
    await addBundle(suite.db, { federation, owner: 'a', member, blob, sha256: 'x', size: 1, summary: {} });
    for (const [role, counted] of [
      ['labels', 0],
      ['owner', 1],
    ] as const) {
      await revokeMember(suite.db, federation, 'a');
      await someMember(suite.db, federation, 'a', role);
      expect(await latestBundles(suite.db, federation)).toHaveLength(counted);
    }
  });

  test('label sets are numbered per federation without gaps', async () => {
    const federation = await someFederation(suite.db);
    const { id: member } = await someMember(suite.db, federation, 'registry', 'labels');
    const blob = await writeBlob(suite.db, Buffer.of(1));
    expect(await latestLabelSet(suite.db, federation)).toBeUndefined();
    const labelSet = { federation, member, blob, sha256: 'x', size: 1, summary: { classes: ['a'] } };
    await Promise.all([1, 2, 3].map(() => addLabelSet(suite.db, labelSet)));
    expect((await listLabelSets(suite.db, federation)).map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(await latestLabelSet(suite.db, federation)).toMatchObject({ version: 3, summary: { classes: ['a'] } });
    expect(await requireLabelSet(suite.db, federation, 1)).toMatchObject({ version: 1 });
    await expect(requireLabelSet(suite.db, federation, 9)).rejects.toMatchObject({ code: 'F3_LABELS_UNKNOWN' });
  });
});
