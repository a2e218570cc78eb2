// An exported log is changed in every way that somebody might want to, and the check says where.
import { beforeAll, describe, expect, test } from 'vitest';
import { createKeyPair, type KeyPair } from '../identity/key-pair.ts';
import { type AuditContent, chainHash, entryDigest, genesisHash } from './audit-chain.ts';
import { AUDIT_FORMAT, AUDIT_FORMAT_VERSION, type AuditLine, type ChainedEntry } from './audit-file.ts';
import { type AuditHead, signHead } from './audit-head.ts';
import { verifyAudit } from './verify-audit.ts';

const FEDERATION = 'grid';
const content = (n: number): AuditContent => ({
  at: new Date(1_700_000_000_000 + n * 1000).toISOString(),
  federation: FEDERATION,
  actor: `plant-${n}`,
  action: 'bundle.received',
  details: { version: n, size: n * 1e-7, sha256: 'ä'.repeat(n % 3) },
  keyId: n % 2 ? 'k'.repeat(43) : null,
  address: '192.0.2.7',
});

function chain(contents: readonly AuditContent[], start = genesisHash(FEDERATION)): ChainedEntry[] {
  let hash = start;
  return contents.map((one, i) => {
    hash = chainHash(hash, i + 1, entryDigest(one));
    return { ...one, number: i + 1, hash };
  });
}

let keys: KeyPair;
let sound: ChainedEntry[];
let heads: AuditHead[];
const headAt = (entries: readonly ChainedEntry[], count: number, by = keys): AuditHead =>
  signHead(by, { federation: FEDERATION, count, hash: entries[count - 1].hash, at: '2026-01-01T00:00:00.000Z' });

beforeAll(async () => {
  keys = await createKeyPair();
  sound = chain(Array.from({ length: 20 }, (_, i) => content(i + 1)));
  heads = [5, 10, 20].map((count) => headAt(sound, count));
});

const file = (
  entries: readonly ChainedEntry[],
  signed: readonly AuditHead[] = heads,
  by: readonly KeyPair[] = [keys],
) => {
  const start = {
    format: AUDIT_FORMAT,
    version: AUDIT_FORMAT_VERSION,
    federation: FEDERATION,
    keys: by.map(({ id, publicKey }) => ({ keyId: id, publicKey })),
  };
  const lines: AuditLine[] = [
    start as AuditLine,
    ...signed.map((head) => ({ head })),
    ...entries.map((entry) => ({ entry })),
  ];
  return lines.map((line) => JSON.stringify(line));
};
const problemsOf = async (...args: Parameters<typeof file>) => (await verifyAudit(file(...args), 'log')).problems;

describe('an exported audit log', () => {
  test('is sound as it was written', async () => {
    expect(await verifyAudit(file(sound), 'log', { keyIds: [keys.id], heads: [heads[1]] })).toEqual({
      federation: FEDERATION,
      entries: 20,
      heads: 4,
      signedBy: [keys.id],
      unsigned: 0,
      problems: [],
    });
  });

  test('whose entry was changed is caught at that entry, whichever field it was', async () => {
    const changes: Partial<ChainedEntry>[] = [
      { actor: 'plant-8' },
      { action: 'bundle.deleted' },
      { at: '2020-01-01T00:00:00.000Z' },
      { details: { ...sound[6].details, version: 8 } },
      { keyId: null },
      { address: '198.51.100.1' },
      { federation: 'other' },
    ];
    for (const change of changes) {
      const entries = sound.map((entry) => (entry.number === 7 ? { ...entry, ...change } : entry));
      expect(await problemsOf(entries)).toEqual([expect.stringMatching(/^entry 7: was changed/)]);
    }
  });

  test('of which an entry was deleted is caught at that entry', async () => {
    expect(await problemsOf(sound.filter(({ number }) => number !== 7))).toEqual(['entry 7: is missing']);
    // Renumbered, the entry that stands in its place does not fit.
    const renumbered = sound.filter(({ number }) => number !== 7).map((entry, i) => ({ ...entry, number: i + 1 }));
    expect((await problemsOf(renumbered))[0]).toMatch(/^entry 7: was changed, or one was put in or taken out/);
  });

  test('in which entries changed places is caught where they stand', async () => {
    const entries = [...sound.slice(0, 6), sound[7], sound[6], ...sound.slice(8)];
    expect(await problemsOf(entries)).toEqual([
      'entry 7: is missing',
      expect.stringMatching(/^entry 7: stands after entry 8/),
    ]);
  });

  test('into which an entry was put is caught there', async () => {
    const more = { ...content(99), number: 8, hash: sound[7].hash };
    const entries = [
      ...sound.slice(0, 7),
      more,
      ...sound.slice(7).map((entry) => ({ ...entry, number: entry.number + 1 })),
    ];
    expect((await problemsOf(entries))[0]).toMatch(/^entry 8: was changed/);
  });

  test('that was cut off is caught by a head in the file, or by one that somebody kept', async () => {
    expect(await problemsOf(sound.slice(0, 12))).toEqual(['entries 13 to 20: are missing at the end']);
    const cut = file(sound.slice(0, 12), heads.slice(0, 2));
    // Whoever cuts the heads as well is caught by nobody but whoever kept one.
    expect((await verifyAudit(cut, 'log')).problems).toEqual([]);
    const { problems } = await verifyAudit(cut, 'log', { heads: [heads[2]] });
    expect(problems).toEqual(['entries 13 to 20: are missing at the end']);
  });

  test('that was changed and hashed anew is caught between the heads that the coordinator signed', async () => {
    const contents = sound.map(({ number, hash: _, ...one }) => (number === 7 ? { ...one, actor: 'plant-8' } : one));
    expect(await problemsOf(chain(contents))).toEqual([
      expect.stringMatching(/^entries 6 to 10: changed and hashed anew/),
      expect.stringMatching(/^entries 6 to 20: changed and hashed anew/),
    ]);
  });

  test('with heads of another key is refused where the key is named', async () => {
    const forger = await createKeyPair();
    const contents = sound.map(({ number, hash: _, ...one }) => (number === 7 ? { ...one, actor: 'plant-8' } : one));
    const forged = chain(contents);
    const lines = file(
      forged,
      [20].map((count) => headAt(forged, count, forger)),
      [forger],
    );
    expect((await verifyAudit(lines, 'log')).signedBy).toEqual([forger.id]);
    const { problems } = await verifyAudit(lines, 'log', { keyIds: [keys.id] });
    expect(problems[0]).toMatch(/none of the file's keys is the one that was named/);
    // A key in the file cannot borrow the id of another.
    const borrowed = file(forged, [headAt(forged, 20, { ...forger, id: keys.id })], [{ ...forger, id: keys.id }]);
    expect((await verifyAudit(borrowed, 'log', { keyIds: [keys.id] })).problems).not.toEqual([]);
  });

  test('with a head whose count was changed is refused', async () => {
    expect(await problemsOf(sound.slice(0, 12), [{ ...heads[2], count: 12 }])).toEqual([
      expect.stringMatching(/^a head of 12 entries.*its signature is wrong/),
    ]);
  });

  test.each([[[]], [['{}']], [['nothing']], [['{"format":"f3-audit","version":2,"federation":null,"keys":[]}']]])(
    'that is none is refused: %j',
    async (lines) => {
      await expect(verifyAudit(lines, 'log')).rejects.toMatchObject({ code: 'F3_AUDIT_FILE' });
    },
  );
});
