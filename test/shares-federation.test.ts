// A federation on shares as its members use it: entities in processes, owners, a training through kill -9, predictions, live samples, the ledger.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBundle } from '../src/exchange/bundle/bundle-file.ts';
import { f3Environment, MAIN } from './cli/run-f3.ts';
import { startF3 } from './cli/start-f3.ts';
import { canList } from './support/entity-users.ts';
import { SharesScene, toyOwners } from './support/shares-scene.ts';
import { suiteDirectory } from './support/temporary-directory.ts';
import { toyBundle, toyId } from './support/toy-bundles.ts';

const [OWNERS, SAMPLES] = [43, 60];
const LONG_MS = 600_000;
const isNew = ({ owner }: { owner: string }) => owner === 'owner-43';

describe('a federation of 43 owners on shares, with entities in processes', () => {
  const dir = suiteDirectory();
  const bundles = toyOwners(OWNERS, SAMPLES);
  let scene: SharesScene;
  const refusal = (code: string) => expect.objectContaining({ code });

  beforeAll(async () => {
    scene = await SharesScene.start(dir, { inProcesses: true });
    await scene.populate(bundles, SAMPLES);
  }, LONG_MS);
  afterAll(() => scene?.close(), LONG_MS);

  it('keeps what an entity holds from every other user of its machine, the other entities among them', () => {
    for (const entity of [1, 2, 3]) {
      const { mode, uid } = statSync(`${scene.folderOf(entity)}/federations/${scene.fingerprint}`);
      expect(mode & 0o077).toBe(0);
      if (!scene.users) continue; // one user runs all of them, since the tests do not run as root
      expect(uid).toBe(scene.users[entity - 1].uid);
      const readers = scene.users.map((user) => canList(scene.folderOf(entity), user));
      expect(readers).toEqual([1, 2, 3].map((other) => other === entity));
    }
  });

  const config = { graph: 'icdf', epochs: 6, patience: 6, batch: 24, hidden: 2, predictionGraphs: 2 };
  let undisturbed: number;

  it(
    'trains by the usual request, and the model is scored and listed as any other',
    async () => {
      const trained = await scene.train({ config, split: 1 });
      expect(trained).toMatchObject({ state: 'done', model: 1, promotion: { promoted: true }, epoch: 6 });
      undisturbed = trained.validationLoss as number;
      expect(await scene.client('operator').models('grid')).toMatchObject([
        { version: 1, state: 'active', test: { accuracy: expect.any(Number) } },
      ]);
      const { onShares, owners } = await scene.client('operator').model('grid', 1);
      expect(onShares).toMatchObject({ charter: scene.fingerprint });
      expect(owners).toHaveLength(OWNERS);
    },
    LONG_MS,
  );

  it(
    'goes on to the same losses after kill -9 of an entity in the middle of a training',
    async () => {
      let killed = false;
      const trained = await scene.train({ config, split: 1 }, async (event) => {
        if (killed || !((event.epoch ?? 0) >= 1)) return;
        killed = true;
        await scene.stopEntity(2);
        expect((await scene.check()).entities?.[1]).toMatchObject({ state: 'away' });
        await scene.startEntity(2);
      });
      expect(killed).toBe(true);
      expect(trained).toMatchObject({ state: 'done', model: 2, epoch: 6 });
      expect(Math.abs((trained.validationLoss as number) - undisturbed)).toBeLessThan(1e-3);
    },
    LONG_MS,
  );

  it('refuses trainings that cannot be computed on shares, each with its reason', async () => {
    const train = (request: object) => scene.client('operator').train('grid', request);
    await expect(train({ config: { activation: 'relu' } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ preset: 'recommended' })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ preset: 'auto' })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ ensemble: { fits: 2 } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
    await expect(train({ refit: { owner: 'owner-0' } })).rejects.toEqual(refusal('F3_SHARES_CONFIG'));
  });

  it(
    'predicts samples by name with whoever is not left out, and the same live from shares',
    async () => {
      const client = scene.client('operator');
      const samples = [0, 1, 2].map((s) => ({ id: toyId(s) }));
      const { predictions } = await client.predict('grid', { samples });
      expect(predictions.map(({ sample, owners }) => [sample, owners.length])).toEqual([
        [toyId(0), OWNERS - 1], // owner 1 did not see it
        [toyId(1), OWNERS],
        [toyId(2), OWNERS],
      ]);
      const absent = bundles.slice(0, 13).map(({ owner }) => owner);
      const without = await client.predict('grid', { samples: samples.slice(1, 2), without: absent });
      expect(without.predictions[0].owners).toEqual(predictions[1].owners.filter((owner) => !absent.includes(owner)));
      const seen = bundles.slice(13, 18);
      const others = bundles.filter((bundle) => !seen.includes(bundle)).map(({ owner }) => owner);
      const few = await client.predict('grid', { samples: samples.slice(1, 2), without: others });
      const live = await Promise.all(
        seen.map(({ owner, embeddings, samples: ids, width }) => {
          const row = ids.indexOf(toyId(1));
          return scene.live(owner, 'now', embeddings.slice(row * width, (row + 1) * width), { quorum: seen.length });
        }),
      );
      for (const answer of live) {
        const { probabilities, owners } = answer as unknown as { probabilities: number[]; owners: string[] };
        expect(owners).toEqual(few.predictions[0].owners);
        expect(Math.abs(probabilities[1] - few.predictions[0].probabilities[1])).toBeLessThan(1e-3);
      }
      const alone = await scene.live('owner-2', 'alone', new Float32Array(4), { quorum: 1 });
      expect(alone).toMatchObject({ owners: ['owner-2'] });
      const watched = await text(await client.connection.stream('/v1/federations/grid/live/events?seconds=0'));
      expect(watched).toMatch(new RegExp(`"sample":"${toyId(1)}","model":\\d+,"source":"batch"`));
      expect(watched).toMatch(/"sample":"alone","model":\d+,"source":"live"/);
      expect(watched).not.toContain('"canExplain":true');
    },
    LONG_MS,
  );

  it(
    'takes no embedding where one is asked about, and says what is wrong with a name, a ticket and a width',
    async () => {
      const operator = scene.client('operator');
      const owner = scene.client('owner-0');
      const embeddings = { 'owner-0': [1, 2, 3, 4] };
      const openly = operator.predict('grid', { samples: [{ id: 's', embeddings }] });
      await expect(openly).rejects.toEqual(refusal('F3_SHARES_ONLY'));
      await expect(operator.predict('grid', { samples: [{ id: 'nobody-has-it' }] })).rejects.toEqual(
        refusal('F3_FUSE_OWNER'),
      );
      await expect(owner.live('grid', 'now', { embedding: [1, 2, 3, 4] })).rejects.toEqual(refusal('F3_SHARES_ONLY'));
      const ticket = 'ab'.repeat(16);
      const share = (width: number) => owner.live('grid', 'then', { share: { ticket, width }, quorum: 1 });
      await expect(share(5)).rejects.toEqual(refusal('F3_FUSE_WIDTH'));
      await expect(share(4)).rejects.toEqual(refusal('F3_SHARES_STORE'));
      const infer = operator.connection.json('POST', '/v2/models/grid/infer', {
        inputs: [{ name: 'owner-0', shape: [1, 4], datatype: 'FP32', data: [1, 2, 3, 4] }],
      });
      await expect(infer).rejects.toEqual(refusal('F3_SHARES_ONLY'));
    },
    LONG_MS,
  );

  it(
    'predicts again when an entity comes back, and says who is away until then',
    async () => {
      const ask = () => scene.client('operator').predict('grid', { samples: [{ id: toyId(3) }] });
      await scene.stopEntity(3);
      await expect(ask()).rejects.toEqual(refusal('F3_SHARES_AWAY'));
      await scene.startEntity(3);
      expect((await ask()).predictions).toHaveLength(1);
    },
    LONG_MS,
  );

  it(
    'takes up a push whose owner was ended by kill -9 in its middle: nothing is sent or counted twice, and all entities agree',
    async () => {
      const [home, file] = [join(dir, 'home'), join(dir, 'owner-43.arrow')];
      const bundle = toyBundle(43, { samples: SAMPLES });
      writeBundle(file, bundle);
      const { code } = await scene.client('operator').invite('grid', { owner: bundle.owner, role: 'owner' });
      const joined = await startF3(['owner', 'join', scene.server.url, '--code', code, '--home', home]);
      expect(joined.status, joined.stderr).toBe(0);
      const noise = ['--clip', '3', '--noise', '0.5', '--max-epsilon', '100', '--max-recovery', '0.1'];
      const shared = ['--share', '--charter', scene.fingerprint, ...noise];
      const push = ['owner', 'push', file, ...shared, '--home', home, '--json'];
      const roots = (entity: number) =>
        readdirSync(`${scene.folderOf(entity)}/federations/${scene.fingerprint}/bundles`)
          .filter((name) => name.endsWith('.json'))
          .sort();
      const before = roots(3);
      // Entity 3 is there and does not answer, so the push stands still when the two others have their shares.
      scene.entities.get(3)?.child?.kill('SIGSTOP');
      const cut = spawn(process.execPath, [MAIN, ...push], { env: f3Environment(), stdio: 'ignore' });
      const ended = once(cut, 'exit');
      await expect
        .poll(() => [roots(1).length, roots(2).length], { timeout: LONG_MS, interval: 50 })
        .toEqual([OWNERS + 1, OWNERS + 1]);
      cut.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
      scene.entities.get(3)?.child?.kill('SIGCONT');
      expect(roots(3)).toEqual(before);
      expect((await scene.client('operator').status('grid')).owners.find(isNew)).toMatchObject({ bundle: null });

      const again = await startF3(push);
      expect(again.status, again.stderr).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ version: 1, newest: 1, sent: SAMPLES * bundle.width * 16 });
      // The noise is that of the first try, and paid for once; the owner's limit is about embeddings, which nobody gets.
      expect(JSON.parse(again.stdout)).toMatchObject({ privacy: { samples: SAMPLES, releases: 1 } });
      expect(again.stderr).toContain('the limit of 0.1 does not bind here: nobody gets embeddings');
      expect(roots(1)).toHaveLength(OWNERS + 1);
      expect([roots(2), roots(3)]).toEqual([roots(1), roots(1)]);
      expect((await scene.check()).entities?.map(({ state, shares }) => [state, shares])).toEqual(
        Array(3).fill(['ready', OWNERS + 1]),
      );
      const known = (await scene.client('operator').status('grid')).owners.find(isNew);
      const privacy = { shares: true, noise: { clip: 3, noise: 0.5 } };
      expect(known).toMatchObject({ bundle: { version: 1, samples: SAMPLES, privacy } });
      const [folder] = readdirSync(home);
      expect(readdirSync(join(home, folder, 'splits'))).toEqual([]);
      expect(JSON.parse((await startF3(push)).stdout)).toMatchObject({ version: 1, sent: 0 });
    },
    LONG_MS,
  );

  it('has opened what docs/threat-model.md lists, and nothing else', async () => {
    const { ledger = [] } = await scene.check();
    const page = readFileSync(new URL('../docs/threat-model.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| ([a-z ]+) \| (entities|coordinator) \| (\d+|–) \| (.+) \|$/gm)];
    expect(ledger.map(({ what, to, meaning }) => [what, to, meaning])).toEqual(
      rows.map(([, what, to, , meaning]) => [what, to, meaning]),
    );
    for (const [i, { maskBits }] of ledger.entries()) {
      expect(maskBits === undefined).toBe(rows[i][3] === '–');
      if (maskBits !== undefined) expect(maskBits).toBeGreaterThanOrEqual(40);
    }
  });
});
