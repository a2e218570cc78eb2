// kill -9 of the coordinator: nothing acknowledged is lost, nothing counts by half, training ends in the same bits.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { encodeArrow, textColumn } from '../src/arrow-table.ts';
import { encodeBundle } from '../src/exchange/bundle.ts';
import { CoordinatorClient } from '../src/exchange/client.ts';
import { createKeyPair, type KeyPair, loadKeyPair } from '../src/exchange/key-pair.ts';
import { CoordinatorProcess } from './support/coordinator-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { toyBundle, toyId, toyLabels } from './support/toy-bundles.ts';

const OWNERS = ['owner-0', 'owner-1', 'owner-2'];
const SAMPLES = 200;
const TRAINING = { config: { epochs: 150, patience: 150, hidden: 4 }, split: 1 };

async function enrolled(
  url: string,
  operator: CoordinatorClient,
  owner: string,
  role: 'owner' | 'labels',
): Promise<KeyPair> {
  const { code } = await operator.invite('grid', { owner, role });
  const keys = await createKeyPair();
  await new CoordinatorClient({ url }).enrol(code, keys);
  return keys;
}

const labels = () => {
  const sample = textColumn(Array.from({ length: SAMPLES }, (_, s) => toyId(s)));
  return encodeArrow({ sample, label: textColumn(Array.from(toyLabels(SAMPLES, 2, 1), (label) => `c${label}`)) }, {});
};

/** Everything up to a training, with `hurt` called between its steps. Returns the SHA-256 of the model's weights. */
async function story(
  data: string,
  hurt: (coordinator: CoordinatorProcess) => Promise<CoordinatorProcess>,
): Promise<string> {
  let coordinator = await CoordinatorProcess.start(data);
  const port = Number(new URL(coordinator.url).port);
  const { url } = coordinator;
  const operator = new CoordinatorClient({ url, keys: await loadKeyPair(coordinator.operatorKey) });
  await operator.createFederation('grid');
  const keys = new Map<string, KeyPair>();
  for (const owner of OWNERS) keys.set(owner, await enrolled(url, operator, owner, 'owner'));
  keys.set('holder', await enrolled(url, operator, 'holder', 'labels'));
  const clientOf = (name: string) => new CoordinatorClient({ url, keys: keys.get(name) as KeyPair });
  for (const [i, owner] of OWNERS.entries()) {
    const upload = clientOf(owner).upload('grid', 'bundle', encodeBundle(toyBundle(i, { samples: SAMPLES })));
    if (i === 1) coordinator = await hurt(coordinator);
    expect(await upload).toMatchObject({ version: 1 });
  }
  await clientOf('holder').upload('grid', 'labels', labels());
  coordinator = await hurt(coordinator);
  const { id } = await operator.train('grid', TRAINING);
  await sleep(700);
  coordinator = await hurt(coordinator);
  for await (const { state } of operator.trainingEvents('grid', id)) if (state === 'done') break;
  const status = await operator.status('grid');
  expect(status).toMatchObject({ activeModel: 1, counts: { owners: 3, bundles: 3, labels: 1 } });
  const { weights } = (await operator.model('grid', 1)) as unknown as { weights: string };
  expect(await coordinator.stop()).toBe(0);
  expect(port).toBeGreaterThan(0);
  return weights;
}

describe('a coordinator that is killed', () => {
  it('during an upload, after one and during training, ends with the same model as one that is not', async () => {
    const dir = temporaryDirectory();
    const quiet = await story(join(dir, 'quiet'), async (coordinator) => coordinator);
    let kills = 0;
    const hurt = await story(join(dir, 'hurt'), async (coordinator) => {
      await coordinator.kill();
      kills++;
      return CoordinatorProcess.start(join(dir, 'hurt'), { port: Number(new URL(coordinator.url).port) });
    });
    expect(kills).toBe(3);
    expect(hurt).toBe(quiet);
  }, 180_000);
});
