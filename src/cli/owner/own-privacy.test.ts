import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import type { Membership } from '../../exchange/identity/home.ts';
import { keepNoiseChoice } from '../../privacy/noise/noise-choice.ts';
import { openBudget } from '../../privacy/noise/noisy-bundle.ts';
import { noteWithoutNoise } from '../../privacy/noise/without-noise.ts';
import { ownerFolder } from '../../privacy/owner-folder.ts';
import { ownPrivacy } from './own-privacy.ts';

it('says beside what was spent that embeddings also left without noise, for which there is no ε', async () => {
  const home = temporaryDirectory();
  const membership = { federation: 'grid', owner: 'north', role: 'owner', url: 'http://127.0.0.1:7700' } as Membership;
  const folder = ownerFolder(home, membership);
  const choice = { clip: 2, noise: 4, epsilon: 8, delta: 1e-5 };
  keepNoiseChoice(folder, choice);
  openBudget(folder).spend({ cost: 0.1, samples: ['a'], rows: ['r'] }, choice);
  const told = async () => {
    const { lines, facts } = await ownPrivacy({ membership, home });
    return { ...Object.fromEntries(lines), withoutNoise: facts.withoutNoise };
  };
  expect(await told()).toMatchObject({ 'without noise': undefined, withoutNoise: null });
  noteWithoutNoise(folder, new Date('2026-03-01T07:00:00Z'));
  noteWithoutNoise(folder, new Date('2026-03-02T08:00:00Z'));
  const times = { first: '2026-03-01T07:00:00.000Z', last: '2026-03-02T08:00:00.000Z' };
  expect(await told()).toMatchObject({
    'privacy spent': expect.stringContaining('1 samples, once'),
    'without noise': expect.stringMatching(/2026-03-01 07:00 to 2026-03-02 08:00.*no ε holds/),
    withoutNoise: times,
  });
});
