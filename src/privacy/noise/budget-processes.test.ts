import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import { costPerSample } from './noise-embeddings.ts';
import { openBudget } from './noisy-bundle.ts';
import { epsilonOf } from './zcdp.ts';

const delta = 1e-5;
const options = { clip: 2, noise: 4 };
const cost = costPerSample(options, 4);
/** The bundle, and this many more releases of its first sample, are what the limit allows. */
const MORE = 7;
const limit = { epsilon: epsilonOf((1 + MORE + 0.5) * cost, delta), delta };

/** Waits until the other is there, sends the same bundle, and then pays for one sample as often as it may. */
const PROGRAM = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
const [folder, me, you, options, limit, at] = process.argv.slice(1);
const { noisyBundle, openBudget } = await import(at + 'noisy-bundle.ts');
const { decodeBundle } = await import(at + '../../exchange/bundle/bundle.ts');
const bundle = decodeBundle(readFileSync(folder + '/bundle.arrow'), 'bundle');
writeFileSync(folder + '/' + me, '');
while (!existsSync(folder + '/' + you)) await new Promise((done) => setTimeout(done, 1));
const { bytes, pay } = noisyBundle(bundle, JSON.parse(options), JSON.parse(limit), folder);
const { paid: first } = pay();
const budget = openBudget(folder);
let paid = 0;
for (let i = 0; i < 20; i++) {
  try {
    budget.spend({ cost: ${cost}, samples: [bundle.samples[0]], rows: [me + i] }, JSON.parse(limit));
    paid++;
  } catch (error) {
    if (error.code !== 'F3_PRIVACY_BUDGET') throw error;
  }
}
process.stdout.write(JSON.stringify({ paid, first, hash: createHash('sha256').update(bytes).digest('hex') }));
`;

it('is never overdrawn by two processes at once, and the same bundle has the same noise in both', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'bundle.arrow'), encodeBundle(toyBundle(0, { samples: 20 })));
  const run = async (me: string, you: string) => {
    const words = [folder, me, you, JSON.stringify(options), JSON.stringify(limit), `${import.meta.dirname}/`];
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, ...words]);
    const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect(code, errors).toBe(0);
    return JSON.parse(out) as { paid: number; first: number; hash: string };
  };
  const [one, other] = await Promise.all([run('one', 'other'), run('other', 'one')]);
  expect(other.hash).toBe(one.hash);
  expect([one.first, other.first].sort()).toEqual([0, 20]);
  expect(one.paid + other.paid).toBe(MORE);
  const { epsilon, releases } = openBudget(folder).spent(delta);
  expect(releases).toBe(1 + MORE);
  expect(epsilon).toBeLessThanOrEqual(limit.epsilon);
});
