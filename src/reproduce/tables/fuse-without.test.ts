import { afterAll, expect, it } from 'vitest';
import { toyBundle, toyLabels } from '../../../test/support/toy-bundles.ts';
import { Engine } from '../../core/engine/engine.ts';
import { fuseOwners } from '../../fuse/fuse-owners.ts';
import { resolveFusionConfig } from '../../fuse/fusion-config.ts';
import { BundleJoin } from '../../fuse/join/bundle-join.ts';
import { fuseWithout } from './fuse-without.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const [OWNERS, SAMPLES] = [5, 160];
const saw = (owner: number, sample: number) => owner !== 1 || sample % 3 !== 0;

/** Embeddings of these owners, of whom one did not see all samples and one says more numbers than the others. */
function inputOf(owners: readonly number[]) {
  const join = new BundleJoin(engine, { samples: toyBundle(0, { samples: SAMPLES }).samples, expected: OWNERS });
  const width = (owner: number) => (owner === 2 ? 6 : 4);
  for (const owner of owners) join.add(toyBundle(owner, { samples: SAMPLES, saw, width }), '');
  const joined = join.finish();
  const labels = { samples: joined.samples, labels: toyLabels(SAMPLES, 2, 1), classes: ['calm', 'storm'] };
  const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
  const split = { train: rows.subarray(0, 80), validation: rows.subarray(80, 110), test: rows.subarray(110) };
  return { joined, labels, split };
}

it('owners who are left out of a fusion might as well have sent nothing', async () => {
  const config = resolveFusionConfig({ preset: 'recommended', encoding: 'none', hidden: 4, epochs: 4 });
  const scores = await fuseWithout(engine, inputOf([0, 1, 2, 3, 4]), new Set([0, 3]), config, {});
  const { facts } = await fuseOwners(engine, inputOf([1, 2, 4]), config);
  expect(scores).toEqual(facts.test);
});
