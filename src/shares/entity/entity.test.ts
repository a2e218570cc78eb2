// Three entities on loopback, each with its own folder and key: charter, keys, shares, conversations, and what is refused.
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../../test/support/free-ports.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { createKeyPair, type KeyPair } from '../../exchange/identity/key-pair.ts';
import { admit } from '../admission.ts';
import { type Charter, charterFingerprint, makeCharter, parseEntityAddress } from '../charter.ts';
import { checkEntities } from '../desk/check-entities.ts';
import { EntityLines } from '../desk/entity-lines.ts';
import { dial } from '../link/dial.ts';
import { LINK_TIMES, type Link } from '../link/link.ts';
import { selfSignedCertificate } from '../link/self-signed-certificate.ts';
import { sendShare } from '../owner/send-share.ts';
import { type SplitBundle, splitBundle } from '../owner/split-bundle.ts';
import { manifestRoot, shareCommitment, signManifest } from '../share-manifest.ts';
import { EntityFolder } from './entity-folder.ts';
import { runConversation } from './run-conversation.ts';
import { type RunningEntity, startEntity } from './start-entity.ts';

const TIMES = { ...LINK_TIMES, connectMs: 5000 };

describe('three entities', () => {
  const dir = suiteDirectory();
  const folderOf = (entity: number) => join(dir, `entity-${entity}`);
  const running = new Map<number, RunningEntity>();
  let [coordinator, owner]: KeyPair[] = [];
  let charter: Charter;
  let fingerprint: string;
  let lines: EntityLines;
  const bundle = toyBundle(1, { samples: 50 });
  let split: SplitBundle;

  const start = async (entity: number) =>
    void running.set(
      entity,
      await startEntity({ data: folderOf(entity), program: runConversation, times: TIMES, patience: 2000 }),
    );
  const stop = async (entity: number) => {
    await running.get(entity)?.close();
    running.delete(entity);
  };
  const admission = async () => admit(coordinator, { charter: fingerprint, owner: 'owner-1', keyId: owner.id });
  const sending = (entity: number, sent: SplitBundle) => ({
    charter,
    entity,
    certified: selfSignedCertificate(owner),
    admission,
    split: sent,
    times: TIMES,
    attempts: 1,
  });
  const check = (roots: string[] = [], epochs = new Map<number, number>()) => checkEntities(lines, { roots, epochs });
  /** A line of the owner to entity 1, greeted. */
  const ownLine = async (): Promise<Link> => {
    const link = await dial(charter.entities[0], { name: 'entity 1', certified: selfSignedCertificate(owner) });
    await link.ask('hello', { facts: { charter: fingerprint, admission: await admission() } });
    return link;
  };

  beforeAll(async () => {
    [coordinator, owner] = [await createKeyPair(), await createKeyPair()];
    const ports = await freePorts(3);
    const addresses: string[] = [];
    for (const [i, port] of ports.entries()) {
      addresses.push((await EntityFolder.create(folderOf(i + 1), `tls://127.0.0.1:${port}`)).address);
    }
    charter = makeCharter('grid', 1, coordinator.id, addresses.map(parseEntityAddress));
    fingerprint = charterFingerprint(charter);
    lines = new EntityLines({ charter, certified: selfSignedCertificate(coordinator), times: TIMES });
    for (const entity of [1, 2, 3]) await start(entity);
    split = await splitBundle(bundle, charter, 1, owner);
  });
  afterAll(async () => {
    lines?.close();
    for (const entity of [...running.keys()]) await stop(entity);
  });

  it('serve a charter after their operators have admitted it, and agree on keys that no two pairs share', async () => {
    expect((await check()).map(({ state }) => state)).toEqual(Array(3).fill('not admitted'));
    const folder = await EntityFolder.open(folderOf(1));
    expect(folder.charters()).toMatchObject([{ fingerprint, state: 'proposed' }]);
    for (const entity of [1, 2]) (await EntityFolder.open(folderOf(entity))).admit(fingerprint);
    expect((await check()).map(({ state }) => state)).toEqual(['keys missing', 'keys missing', 'not admitted']);
    (await EntityFolder.open(folderOf(3))).admit(fingerprint);
    expect((await check()).map(({ state }) => state)).toEqual(Array(3).fill('ready'));
  });

  it('refuse a folder that another process uses', async () => {
    await expect(startEntity({ data: folderOf(1), port: 0, program: runConversation })).rejects.toMatchObject({
      code: 'F3_STORAGE_LOCKED',
    });
  });

  it('take the share of an owner that was admitted, once, and hold it over a restart', async () => {
    for (const entity of [1, 2, 3]) expect(await sendShare(sending(entity, split))).toBe(50 * 4 * 16);
    for (const entity of [1, 2, 3]) expect(await sendShare(sending(entity, split))).toBe(0);
    await stop(2);
    expect((await check([split.root])).map(({ state }) => state)).toEqual(['ready', 'away', 'ready']);
    await start(2);
    expect((await check([split.root])).map(({ state, epoch }) => [state, epoch])).toEqual(Array(3).fill(['ready', 1]));
    const files = [1, 2, 3].map((entity) => {
      const folder = join(folderOf(entity), 'federations', fingerprint, 'bundles');
      return readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith('.share'))!));
    });
    files.forEach((bytes, i) => {
      expect(Buffer.compare(bytes, split.shares[i].bytes)).toBe(0);
    });
  });

  it('refuse an owner whom the coordinator has not admitted, or admitted an hour ago, and other keys for its own', async () => {
    const stranger = await createKeyPair();
    const late = admit(
      coordinator,
      { charter: fingerprint, owner: 'owner-1', keyId: owner.id },
      new Date(Date.now() - 4e6),
    );
    const forged = admit(stranger, { charter: fingerprint, owner: 'owner-1', keyId: owner.id });
    const certified = selfSignedCertificate(owner);
    for (const { word, code } of [
      { word: late, code: 'F3_AUTH_FORBIDDEN' },
      { word: forged, code: 'F3_SHARES_SIGNATURE' },
      { word: '', code: 'F3_SHARES_SIGNATURE' },
    ]) {
      const link = await dial(charter.entities[0], { name: 'entity 1', certified });
      await expect(link.ask('state', { facts: {} })).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
      const greeting = link.ask('hello', { facts: { charter: fingerprint, admission: word } });
      await expect(greeting).rejects.toMatchObject({ code });
      link.close();
    }
    const foreign = { ...sending(1, split), certified: selfSignedCertificate(stranger) };
    await expect(sendShare(foreign)).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
  });

  it('are known by their keys: an impostor at the same address is refused', async () => {
    const address = { ...charter.entities[0], keyId: charter.entities[1].keyId };
    const certified = selfSignedCertificate(owner);
    await expect(dial(address, { name: 'entity 1', certified })).rejects.toMatchObject({
      code: 'F3_SHARES_KEY',
      message: expect.stringContaining(charter.entities[1].keyId),
    });
  });

  it('refuse a share of another length, other bytes than committed to, and other contents of a version; nothing held is lost', async () => {
    const link = await ownLine();
    const next = await splitBundle(bundle, charter, 2, owner);
    const { bytes, salt } = next.shares[0];
    const { root } = next;
    await link.ask('offer', { facts: { manifest: next.statement } });
    const expectRefusal = (what: string, facts: Record<string, unknown>, body: Uint8Array, refusal: object) =>
      expect(link.ask(what, { facts, bytes: body })).rejects.toMatchObject(refusal);
    await expectRefusal('append', { root, offset: 5 }, bytes.slice(0, 16), { code: 'F3_UPLOAD_OFFSET' });
    await expectRefusal('append', { root, offset: 0 }, Buffer.concat([bytes, bytes]), { code: 'F3_SHARES_BUNDLE' });
    await link.ask('append', { facts: { root, offset: 0 }, bytes: bytes.slice(0, 100) });
    await expectRefusal('finish', { root }, salt, { code: 'F3_SHARES_BUNDLE' }); // it was cut short
    await link.ask('append', { facts: { root, offset: 100 }, bytes: next.shares[1].bytes.slice(100) });
    await expectRefusal('finish', { root }, salt, { code: 'F3_SHARES_COMMITMENT' });
    const other = await splitBundle(bundle, charter, 1, owner);
    await expectRefusal('offer', { manifest: other.statement }, new Uint8Array(), { code: 'F3_SHARES_VERSION' });
    const [head, , signature] = next.statement.split('.');
    const changed = `${head}.${split.statement.split('.')[1]}.${signature}`;
    await expectRefusal('offer', { manifest: changed }, new Uint8Array(), { code: 'F3_SHARES_SIGNATURE' });
    const about = { charter: fingerprint, owner: 'owner-2', version: 1 };
    const foreign = signManifest(owner, {
      ...about,
      rows: 1,
      width: 1,
      samples: root,
      commitments: [root, root, root],
    });
    await expectRefusal('offer', { manifest: foreign }, new Uint8Array(), { code: 'F3_SHARES_BUNDLE' });
    link.close();
    expect(await sendShare(sending(1, next))).toBe(bytes.length); // from the start, since wrong bytes were thrown away
    const held = (await check([split.root])).map((one) => [one.state, one.held.length]);
    expect(held).toEqual([
      ['ready', 2],
      ['ready', 1],
      ['ready', 1],
    ]);
    expect((await check([split.root, next.root]))[1]).toMatchObject({
      state: 'shares missing',
      detail: '1 of 2 bundles',
    });
  });

  it('keep no more of an owner than their operator allows, what is under way included', async () => {
    await stop(2);
    const one = 50 * 4 * 16; // which entity 2 holds
    running.set(2, await startEntity({ data: folderOf(2), program: runConversation, ownerBytes: 2 * one }));
    const [second, third] = [
      await splitBundle(bundle, charter, 5, owner),
      await splitBundle(bundle, charter, 6, owner),
    ];
    const link = await dial(charter.entities[1], { name: 'entity 2', certified: selfSignedCertificate(owner) });
    await link.ask('hello', { facts: { charter: fingerprint, admission: await admission() } });
    await link.ask('offer', { facts: { manifest: second.statement } });
    await expect(sendShare(sending(2, third))).rejects.toMatchObject({
      code: 'F3_QUOTA',
      message: expect.stringContaining(
        `at most ${2 * one} bytes at entity 2, got ${2 * one} held or under way and ${one} more`,
      ),
    });
    link.close();
    await stop(2);
    await start(2);
  });

  it('go on where a share was cut, also after a restart', async () => {
    const next = await splitBundle(bundle, charter, 3, owner);
    const link = await ownLine();
    await link.ask('offer', { facts: { manifest: next.statement } });
    await link.ask('append', { facts: { root: next.root, offset: 0 }, bytes: next.shares[0].bytes.slice(0, 1000) });
    link.close();
    await stop(1);
    await start(1);
    expect(await sendShare(sending(1, next))).toBe(next.shares[0].bytes.length - 1000);
    // What nobody has gone on with for a week is gone after a restart.
    const uploads = join(folderOf(1), 'federations', fingerprint, 'uploads');
    const [old, recent] = ['a', 'b'].map((digit) => `${digit.repeat(64)}.part`);
    for (const name of [old, recent]) appendFileSync(join(uploads, name), 'x');
    utimesSync(join(uploads, old), 0, 0);
    await stop(1);
    await start(1);
    const left = readdirSync(uploads);
    expect([left.includes(old), left.includes(recent)]).toEqual([false, true]);
  });

  it('are found out when they come back with an older store, and when a share on their disk was changed', async () => {
    const copy = join(dir, 'copy');
    await stop(3);
    cpSync(folderOf(3), copy, { recursive: true });
    await start(3);
    const next = await splitBundle(bundle, charter, 4, owner);
    await sendShare(sending(3, next));
    const epochs = new Map((await check()).map(({ entity, epoch = 0 }) => [entity, epoch]));
    await stop(3);
    rmSync(folderOf(3), { recursive: true });
    cpSync(copy, folderOf(3), { recursive: true });
    await start(3);
    expect((await check([], epochs))[2]).toMatchObject({ state: 'old store' });
    const file = join(folderOf(3), 'federations', fingerprint, 'bundles', `${split.root}.share`);
    expect(existsSync(file)).toBe(true);
    appendFileSync(file, 'x');
    const rows = new Uint8Array(new Int32Array(50).buffer);
    const conversation = lines.converse([1, 2, 3], { samples: 50, roots: [split.root] }, rows);
    await expect(conversation).rejects.toMatchObject({ code: 'F3_SHARES_STORE' });
  });

  it('cut whoever sends what is no frame, or more than it may, and go on answering others', async () => {
    const { cert, key } = selfSignedCertificate(owner);
    const { port } = new URL(charter.entities[0].url);
    for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.from('0000000affffffff', 'hex')]) {
      const socket = connect({ port: Number(port), host: '127.0.0.1', cert, key, rejectUnauthorized: false });
      socket.on('error', () => {});
      socket.write(bytes);
      await new Promise((resolve) => socket.on('close', resolve));
    }
    const nameless = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    nameless.on('error', () => {});
    await new Promise((resolve) => nameless.on('close', resolve));
    expect((await check())[0].state).toBe('ready');
  });

  it('stand in a charter once each, beside another coordinator, under a charter that they have', async () => {
    const [first, second, third] = charter.entities;
    const made =
      (entities: typeof charter.entities, by = coordinator.id) =>
      () =>
        makeCharter('grid', 1, by, entities);
    const refusal = expect.objectContaining({ code: 'F3_SHARES_CHARTER' });
    expect(made([first, second, { ...first, url: third.url }])).toThrow(refusal);
    expect(made([first, second, { ...third, url: first.url }])).toThrow(refusal);
    expect(made([first, second, third], third.keyId)).toThrow(refusal);
    expect(made([first, second])).toThrow(expect.objectContaining({ code: 'F3_SHARES_SCHEME' }));
    const link = await dial(first, { name: 'entity 1', certified: selfSignedCertificate(owner) });
    await expect(link.ask('hello', { facts: { charter: 'f'.repeat(64) } })).rejects.toMatchObject(refusal);
    await expect(link.ask('charter', { facts: { charter: made([first, second, third])() } })).rejects.toMatchObject(
      refusal,
    );
    link.close();
  });

  it('commit to a share and to nothing else: another entity, version or salt gives another commitment', () => {
    const { bytes, salt } = split.shares[0];
    const about = { charter: fingerprint, owner: 'owner-1', version: 1 };
    const all = [
      shareCommitment(about, 1, salt, bytes),
      shareCommitment(about, 2, salt, bytes),
      shareCommitment({ ...about, version: 2 }, 1, salt, bytes),
      shareCommitment(about, 1, createHash('sha256').update('salt').digest(), bytes),
      shareCommitment(about, 1, salt, split.shares[1].bytes),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(manifestRoot(split.statement)).toBe(split.root);
  });
});
