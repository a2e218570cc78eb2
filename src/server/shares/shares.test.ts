// A federation on shares at its coordinator: who is told what, what owners send, what is refused, and what deleting means.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startF3 } from '../../../test/cli/start-f3.ts';
import { SharesScene } from '../../../test/support/shares-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle, toyId } from '../../../test/support/toy-bundles.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import { writeBundle } from '../../exchange/bundle/bundle-file.ts';
import { federationShares } from '../../exchange/client/federation-shares.ts';
import { joinFederation } from '../../exchange/client/join-federation.ts';
import { KeyHolderFiles } from '../../privacy/key-holder/key-holder-files.ts';
import { startKeyHolder } from '../../privacy/key-holder/start-key-holder.ts';
import { encodeAnnouncement } from '../../shares/announcement.ts';
import { readCharter } from '../../shares/charter.ts';
import { EntityFolder } from '../../shares/entity/entity-folder.ts';
import { selfSignedCertificate } from '../../shares/link/self-signed-certificate.ts';
import { CodingShelf, codedEmbedding } from '../../shares/owner/coding-shelf.ts';
import { sendShare } from '../../shares/owner/send-share.ts';
import { splitBundle } from '../../shares/owner/split-bundle.ts';
import { readBlob } from '../../storage/blobs.ts';
import { latestBundles } from '../../storage/bundles.ts';

const LONG_MS = 600_000;

describe('a federation on shares', () => {
  const dir = suiteDirectory();
  let scene: SharesScene;
  const refusal = (code: string) => expect.objectContaining({ code });
  const bundlesOf = (entity: number) => join(scene.folderOf(entity), 'federations', scene.fingerprint, 'bundles');
  const held = (entity: number) => readdirSync(bundlesOf(entity)).filter((name) => name.endsWith('.share')).length;
  const heldYet = (entity: number) => (existsSync(bundlesOf(entity)) ? held(entity) : 0);
  const first = toyBundle(0, { samples: 20 });

  beforeAll(async () => {
    scene = await SharesScene.start(dir);
    await scene.join('owner-0');
  }, LONG_MS);
  afterAll(() => scene?.close(), LONG_MS);

  it('names its entities and its fingerprint to everybody, and how they stand to operators', async () => {
    const { entities, ledger } = await scene.check();
    expect(entities?.map(({ state, shares }) => [state, shares])).toEqual(Array(3).fill(['ready', 0]));
    expect(ledger).toEqual([]);
    const told = await federationShares(scene.client('owner-0'), 'grid');
    expect(told).toMatchObject({ fingerprint: scene.fingerprint, next: 1, bundles: [] });
    expect(told.entities).toBeUndefined();
    expect(await scene.client('operator').status('grid')).toMatchObject({ charter: scene.fingerprint });
  });

  it('is not made with a threshold that does not fit, with an address that is none, or with the same entity twice', async () => {
    const { addresses } = scene;
    const make = (entities: string[] | undefined, threshold?: number) =>
      scene.client('operator').createFederation('other', undefined, { entities: entities as string[], threshold });
    await expect(make(addresses, 2)).rejects.toMatchObject({ code: 'F3_SHARES_SCHEME' });
    await expect(make([addresses[0], addresses[1], 'https://e3'])).rejects.toMatchObject({ code: 'F3_ARGUMENT' });
    await expect(make([addresses[0], addresses[1], addresses[0]])).rejects.toMatchObject({ code: 'F3_SHARES_CHARTER' });
    await expect(make(undefined, 1)).rejects.toMatchObject({ code: 'F3_ARGUMENT' });
    await expect(scene.client('operator').status('other')).rejects.toMatchObject({ code: 'F3_FEDERATION_UNKNOWN' });
  });

  it('refuses embeddings before a byte of them has come, and also where they pretend to be shares', async () => {
    const client = scene.client('owner-0');
    const bytes = encodeBundle(first);
    await expect(client.upload('grid', 'bundle', bytes)).rejects.toEqual(refusal('F3_SHARES_ONLY'));
    const pretended = client.upload('grid', 'bundle', bytes, undefined, { shares: true });
    await expect(pretended).rejects.toEqual(refusal('F3_SHARES_ONLY'));
    expect(await client.bundles('grid')).toEqual([]);
  });

  it('takes a bundle when every entity has its share, once, and says what was there already', async () => {
    const heldBefore: number[][] = [];
    const beforeSending = () => void heldBefore.push([1, 2, 3].map(heldYet));
    const pushed = await scene.push(first, { beforeSending });
    expect(pushed).toMatchObject({ version: 1, newest: 1, entities: 3, sent: 3 * 20 * 4 * 16 });
    expect(await scene.push(first, { beforeSending })).toMatchObject({ version: 1, root: pushed.root, sent: 0 });
    expect(heldBefore).toEqual([[0, 0, 0]]);
    expect([1, 2, 3].map(held)).toEqual([1, 1, 1]);
    expect(await scene.client('owner-0').bundles('grid')).toMatchObject([{ version: 1, samples: 20, width: 4 }]);
    expect(readdirSync(join(dir, 'owner-0', 'splits'))).toEqual([]);
  });

  it('sends shares to nobody under another charter than the one that was agreed to, or under none', async () => {
    const beforeSending = () => expect.unreachable();
    const wrong = { fingerprint: 'f'.repeat(64), beforeSending };
    await expect(scene.push(first, wrong)).rejects.toEqual(refusal('F3_SHARES_CHARTER'));
    await scene.join('owner-9');
    const other = toyBundle(9, { samples: 20 });
    await expect(scene.push(other, { fingerprint: undefined })).rejects.toEqual(refusal('F3_SHARES_CHARTER'));
    await expect(scene.push(other, { fingerprint: 'nonsense' })).rejects.toEqual(refusal('F3_ARGUMENT'));
    expect([1, 2, 3].map(held)).toEqual([1, 1, 1]);
  });

  it(
    'counts no bundle that an entity has no share of, and goes on when the entity is back',
    async () => {
      const second = toyBundle(0, { samples: 21 });
      await scene.stopEntity(3);
      const sent: number[] = [];
      const cut = scene.push(second, { attempts: 2, onRetry: (_, milliseconds) => sent.push(milliseconds) });
      await expect(cut).rejects.toEqual(refusal('F3_SHARES_AWAY'));
      expect(sent.length).toBeGreaterThan(0);
      expect([1, 2].map(held)).toEqual([2, 2]);
      expect((await scene.client('owner-0').bundles('grid')).map(({ version }) => version)).toEqual([1]);
      await scene.startEntity(3);
      expect(await scene.push(second)).toMatchObject({ version: 2, sent: 21 * 4 * 16 });
    },
    LONG_MS,
  );

  it(
    'counts another bundle after one that was given up half way, and has entities forget what was given up',
    async () => {
      const charter = readCharter((await scene.check()).charter);
      await scene.stopEntity(2);
      await expect(scene.push(toyBundle(0, { samples: 22 }), { attempts: 1 })).rejects.toEqual(
        refusal('F3_SHARES_AWAY'),
      );
      await scene.startEntity(2);
      expect([1, 2, 3].map(held)).toEqual([3, 2, 3]);
      expect(await scene.push(toyBundle(0, { samples: 23 }))).toMatchObject({ version: 4 });
      await scene.check();
      expect([1, 2, 3].map(held)).toEqual([3, 3, 3]);
      const never = await splitBundle(first, charter, 9, scene.key('owner-0'));
      const told = scene
        .client('owner-0')
        .upload('grid', 'bundle', encodeAnnouncement(first, never), undefined, { shares: true });
      await expect(told).rejects.toEqual(refusal('F3_SHARES_STORE')); // no entity holds it
    },
    LONG_MS,
  );

  it('refuses an announcement of other samples, of a version that is over, or signed by somebody else', async () => {
    const charter = readCharter((await scene.check()).charter);
    const announce = (bytes: Uint8Array) =>
      scene.client('owner-0').upload('grid', 'bundle', bytes, undefined, { shares: true });
    const split = await splitBundle(first, charter, 8, scene.key('owner-0'));
    const renamed = { ...first, samples: first.samples.map((id) => `${id}x`) };
    await expect(announce(encodeAnnouncement(renamed, split))).rejects.toEqual(refusal('F3_SHARES_COMMITMENT'));
    const foreign = await splitBundle(first, charter, 8, scene.key('owner-9'));
    await expect(announce(encodeAnnouncement(first, foreign))).rejects.toEqual(refusal('F3_SHARES_SIGNATURE'));
    const broken = encodeBundle({ ...first, width: 1, embeddings: new Float32Array(20), shares: '{}' });
    await expect(announce(broken)).rejects.toEqual(refusal('F3_SHARES_BUNDLE'));
  });

  it(
    'deletes a bundle at its entities too, also at one that was away meanwhile',
    async () => {
      const client = scene.client('owner-0');
      expect(await client.deleteBundle('grid', 'owner-0', 1)).toMatchObject({ version: 1, entities: 'deleted' });
      expect([1, 2, 3].map(held)).toEqual([2, 2, 2]);
      await scene.stopEntity(1);
      expect(await client.deleteBundle('grid', 'owner-0', 2)).toMatchObject({ entities: 'pending' });
      await scene.startEntity(1);
      expect(held(1)).toBe(2);
      await scene.check();
      expect([1, 2, 3].map(held)).toEqual([1, 1, 1]);
    },
    LONG_MS,
  );

  it('counts shares in the quotas of its owner, and refuses what is too much before any of it leaves', async () => {
    const operator = scene.client('operator');
    const used = async () => {
      const usage = await operator.connection.json('GET', '/v1/federations/grid/quotas');
      const { quotas } = usage as unknown as { quotas: { quota: string; used: number }[] };
      return quotas.find(({ quota }) => quota === 'memberBytes')?.used ?? 0;
    };
    const shares = 3 * 23 * 4 * 16; // of the one version that is left
    const before = await used();
    expect(before).toBeGreaterThan(shares);
    expect(before).toBeLessThan(shares + 10_000);
    await operator.setQuotas('grid', { memberBytes: before + 100 });
    await expect(scene.push(toyBundle(0, { samples: 24 }))).rejects.toEqual(refusal('F3_QUOTA'));
    expect([1, 2, 3].map(held)).toEqual([1, 1, 1]);
    // Whoever does not ask first is refused when the bundle would count.
    const charter = readCharter((await scene.check()).charter);
    const split = await splitBundle(first, charter, 5, scene.key('owner-0'));
    const admission = async () => (await federationShares(scene.client('owner-0'), 'grid')).admission as string;
    const certified = selfSignedCertificate(scene.key('owner-0'));
    for (const entity of [1, 2, 3]) await sendShare({ charter, entity, certified, admission, split });
    await operator.setQuotas('grid', { memberBytes: before + 3 * 20 * 4 * 16 });
    const told = scene
      .client('owner-0')
      .upload('grid', 'bundle', encodeAnnouncement(first, split), undefined, { shares: true });
    await expect(told).rejects.toEqual(refusal('F3_QUOTA'));
    await operator.setQuotas('grid', { memberBytes: null });
  });

  it(
    'learns from codes that all owners have made alike, and takes no others from them later',
    async () => {
      const owners = [1, 2, 3].map((owner) => ({ ...toyBundle(owner, { samples: 60 }), model: `model ${owner}` }));
      await scene.client('owner-0').leave('grid', { bundles: 'delete' });
      for (const bundle of owners) {
        await scene.join(bundle.owner);
        await scene.pushCodes(bundle, { bins: 2 });
      }
      await scene.label(60);
      const config = { epochs: 2, hidden: 4, batch: 20 };
      const train = (request: object) => scene.client('operator').train('grid', request);
      const asked = { ...config, encoding: 'quantiles' as const, bins: 3 };
      await expect(train({ config: asked })).rejects.toEqual(refusal('F3_SHARES_CODES'));
      await expect(train({ config: { ...config, encoding: 'none' } })).rejects.toEqual(refusal('F3_SHARES_CODES'));
      expect(await scene.train({ config, split: 1 })).toMatchObject({ state: 'done', model: 1 });
      const operator = scene.client('operator');
      expect(await operator.model('grid', 1)).toMatchObject({
        config: { encoding: 'quantiles', bins: 2 },
        onShares: { shape: { width: 8, projection: 'own' } },
      });
      // A live sample in the same codes is answered as the one that was pushed.
      const ask = async () => (await operator.predict('grid', { samples: [{ id: toyId(7) }] })).predictions[0];
      const pushed = await ask();
      const coded = owners.map((bundle) => {
        const coding = new CodingShelf(scene.ownerFolder(bundle.owner)).used(bundle.model);
        const embedding = codedEmbedding(bundle.embeddings.slice(28, 32), coding, bundle.owner);
        return { owner: bundle.owner, embedding, coding: coding.id };
      });
      const answers = await Promise.all(
        coded.map(({ owner, embedding, coding }) => scene.live(owner, 'now', embedding, { coding })),
      );
      for (const { probabilities } of answers as unknown as { probabilities: number[] }[]) {
        expect(Math.abs(probabilities[0] - pushed.probabilities[0])).toBeLessThan(1e-4);
      }
      const [{ owner, embedding }] = coded;
      const live = (request: object) => scene.live(owner, 'then', embedding, { quorum: 1, ...request });
      await expect(live({})).rejects.toEqual(refusal('F3_SHARES_CODES'));
      await expect(live({ coding: 'f'.repeat(64) })).rejects.toEqual(refusal('F3_SHARES_CODES'));
      // A version in other codes is of no use to this model: its owner counts as absent.
      expect(pushed.owners).toHaveLength(3);
      await scene.pushCodes(owners[0], { bins: 2, anew: true, training: owners[0].samples.slice(5) });
      expect((await ask()).owners).toEqual(['owner-2', 'owner-3']);
    },
    LONG_MS,
  );

  it(
    'takes codes under pseudonyms from the command line, and the same again is sent to nobody',
    async () => {
      const keyHolder = join(dir, 'key-holder');
      const holder = await startKeyHolder({ data: keyHolder, port: 0 });
      onTestFinished(() => holder.close());
      const shares = { entities: scene.addresses, threshold: 1 };
      const { fingerprint } = await scene.client('operator').createFederation('named', undefined, shares);
      for (const entity of [1, 2, 3]) {
        (await EntityFolder.open(scene.folderOf(entity))).admit(fingerprint as string);
      }
      await federationShares(scene.client('operator'), 'named', { check: true });
      const { code } = await scene.client('operator').invite('named', { owner: 'owner-0', role: 'owner' });
      const [home, file] = [join(dir, 'home'), join(dir, 'owner-0.arrow')];
      await joinFederation({ home, url: scene.server.url, code });
      writeBundle(file, first);
      const push = async (...options: string[]) => {
        const ran = await startF3(['owner', 'push', file, '--share', '--home', home, '--json', ...options]);
        expect(ran.status, ran.stderr).toBe(0);
        return JSON.parse(ran.stdout);
      };
      const pseudonyms = [
        `--pseudonyms=${holder.url}`,
        `--pseudonyms-code=${KeyHolderFiles.open(keyHolder).invite('owner-0').code}`,
      ];
      const sent = await push(`--charter=${fingerprint}`, ...pseudonyms, '--encode=quantiles', '--bins=3');
      expect(sent).toMatchObject({ version: 1, sent: 3 * 20 * 12 * 16, coding: { encoding: 'quantiles', bins: 3 } });
      const { owners } = await scene.client('operator').status('named');
      expect(owners).toMatchObject([{ bundle: { width: 12, privacy: { pseudonyms: true, shares: true } } }]);
      const { db } = scene.server.store;
      const [{ blob }] = await latestBundles(db, 'named');
      expect(Buffer.from(await readBlob(db, blob)).includes(first.samples[3])).toBe(false);
      // Codes and the key holder are remembered.
      expect(await push()).toMatchObject({ version: 1, sent: 0, root: sent.root, coding: sent.coding });
    },
    LONG_MS,
  );

  it('takes no shares in a federation that has no entities', async () => {
    await scene.client('operator').createFederation('plain');
    const { code } = await scene.client('operator').invite('plain', { owner: 'owner-0', role: 'owner' });
    const { createKeyPair } = await import('../../exchange/identity/key-pair.ts');
    const keys = await createKeyPair();
    scene.keys.set('plain-owner', keys);
    await scene.client('operator').enrol(code, keys);
    const client = scene.client('plain-owner');
    await expect(federationShares(client, 'plain')).rejects.toEqual(refusal('F3_SHARES_CHARTER'));
    const bytes = encodeBundle({ ...first, width: 1, embeddings: new Float32Array(20), shares: '{}' });
    await expect(client.upload('plain', 'bundle', bytes)).rejects.toEqual(refusal('F3_SHARES_CHARTER'));
    const flagged = client.upload('plain', 'bundle', bytes, undefined, { shares: true });
    await expect(flagged).rejects.toEqual(refusal('F3_SHARES_CHARTER'));
    expect(await client.upload('plain', 'bundle', encodeBundle(first))).toMatchObject({ version: 1 });
  });
});
