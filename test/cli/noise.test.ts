// Noise on embeddings as an owner types it; the coordinator is a toy in this process.
import { readdirSync, readFileSync } from 'node:fs';
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

beforeAll(async () => {
  toyBundles(dir, { owners: 1, samples: 30 });
  const url = `http://127.0.0.1:${await coordinator.listen()}`;
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
    const folder = join(home, readdirSync(home)[0], 'privacy');
    expect(JSON.parse(readFileSync(join(folder, 'choice.json'), 'utf8'))).toMatchObject({
      clip: 2,
      noise: 2,
      epsilon: 8,
    });
  });

  it('sends embeddings as they are only when told so', async () => {
    expect(await push('--no-noise')).toMatchObject({ status: 0 });
    expect(decodeBundle(uploads()[1], 'plain').embeddings).toEqual(plain.embeddings);
  });
});
