// Noise on embeddings as an owner types it; the coordinator is a toy in this process.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { joinFederation } from '../../src/exchange/client/join-federation.ts';
import { findNumbers } from '../support/find-numbers.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { toyBundle, toyBundles } from '../support/toy-bundles.ts';
import { ToyCoordinator } from '../support/toy-coordinator.ts';
import { startF3 } from './start-f3.ts';

const dir = suiteDirectory();
const home = join(dir, 'home');
const file = join(dir, 'bundles', 'owner-0.arrow');
const plain = toyBundle(0, { samples: 30 });
const coordinator = new ToyCoordinator();
let url: string;

beforeAll(async () => {
  toyBundles(dir, { owners: 1, samples: 30 });
  url = `http://127.0.0.1:${await coordinator.listen()}`;
  await joinFederation({ home, url, code: coordinator.invite('owner-0') });
});
afterAll(() => coordinator.close());
beforeEach(() => {
  coordinator.seen.length = 0;
});

const push = (...flags: string[]) => startF3(['owner', 'push', file, '--home', home, '--json', ...flags]);
const uploads = () => [...coordinator.uploads.values()].map(({ bytes }) => new Uint8Array(bytes));

describe('an owner that turns its embeddings down', () => {
  it('must name both how long and how much, and nothing is sent otherwise', async () => {
    expect(await push('--noise', '1')).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_OPTION') });
    expect(await push('--clip', '0', '--noise', '1')).toMatchObject({ status: 2 });
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('is refused what its own limit does not allow, and nothing is sent', async () => {
    const ran = await push('--clip', '2', '--noise', '0.5', '--max-epsilon', '1');
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_PRIVACY_BUDGET') });
    expect(coordinator.paths('POST')).toEqual([]);
  });

  it('sends noised embeddings and no votes, and says what it has spent', async () => {
    const ran = await push('--clip', '2', '--noise', '2', '--max-epsilon', '8');
    expect(ran).toMatchObject({ status: 0, stderr: expect.stringContaining('the votes stay here') });
    const { privacy } = JSON.parse(ran.stdout);
    expect(privacy).toMatchObject({ samples: 30, releases: 1 });
    const sent = decodeBundle(uploads()[0], 'sent');
    expect(sent.privacy).toContain('discrete Gaussian');
    expect(sent.probabilities).toBeUndefined();
    const wire = Buffer.concat(coordinator.seen.map(({ body }) => body));
    expect(findNumbers(wire, plain.embeddings)).toEqual([]);
  });

  it('goes on with the noise it has chosen, sends the same bytes again, and spends nothing', async () => {
    const ran = await push();
    expect(JSON.parse(ran.stdout)).toMatchObject({ sent: 0, privacy: { releases: 1 } });
    expect(uploads()).toHaveLength(1);
    const folder = join(home, 'owners', 'owner-0', 'privacy');
    expect(JSON.parse(readFileSync(join(folder, 'choice.json'), 'utf8'))).toMatchObject({
      clip: 2,
      noise: 2,
      epsilon: 8,
    });
  });

  it('sends the same bytes to another federation, also after it left and came back, and spends nothing', async () => {
    const join = () => joinFederation({ home, url, code: coordinator.invite('owner-0', 'owner', 'roads') });
    const { folder } = await join();
    const same = { sent: 0, privacy: { releases: 1 } };
    expect(JSON.parse((await push('--federation', 'roads')).stdout)).toMatchObject(same);
    rmSync(folder, { recursive: true }); // what f3 owner leave --forget does
    await join();
    expect(JSON.parse((await push('--federation', 'roads')).stdout)).toMatchObject(same);
    const refused = await push('--federation', 'roads', '--noise', '1.4', '--max-epsilon', '8');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_PRIVACY_BUDGET') });
    expect(uploads()).toHaveLength(1);
  });

  it('keeps to its own limit in another federation, too', async () => {
    const refused = await push('--federation', 'grid', '--max-recovery', '0.1');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_LEAK_LIMIT') });
    const elsewhere = await push('--federation', 'roads');
    expect(elsewhere).toMatchObject({ status: 2, stderr: expect.stringContaining('F3_LEAK_LIMIT') });
  });

  it('refuses a limit for embeddings that leave as they are', async () => {
    for (const [flag, value] of [
      ['--clip', '2'],
      ['--max-epsilon', '4'],
      ['--delta', '0.001'],
    ]) {
      const refused = await push('--federation', 'grid', '--no-noise', '--despite-audit', flag, value);
      const stderr = expect.stringContaining(`${flag}: must not go with --no-noise`);
      expect(refused).toMatchObject({ status: 2, stderr });
    }
    expect(uploads()).toHaveLength(1);
  });

  it('sends embeddings as they are only when told so', async () => {
    const ran = await push('--federation', 'grid', '--no-noise', '--despite-audit');
    expect(ran).toMatchObject({ status: 0 });
    expect(decodeBundle(uploads()[1], 'plain').embeddings).toEqual(plain.embeddings);
    const noted = readFileSync(join(home, 'owners', 'owner-0', 'privacy', 'without-noise.json'), 'utf8');
    expect(Date.parse(JSON.parse(noted).last)).toBeLessThanOrEqual(Date.now());
  });
});
