// Fuses all but some owners, as if these had sent nothing, and gives the scores on the test part.
import type { Engine } from '../../core/engine/engine.ts';
import { type FuseOptions, fuseOwners } from '../../fuse/fuse-owners.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import type { Joined } from '../../fuse/join/bundle-join.ts';
import { type FusionInput, freeInput } from '../../fuse/join/fusion-input.ts';
import { disposeFusedModel } from '../../fuse/model/fused-model.ts';
import type { Scores } from '../../fuse/scores/scores.ts';

/** `away`: numbers of the owners that are left out. Configs with a given graph are refused by the fusion. */
export async function fuseWithout(
  engine: Engine,
  input: FusionInput,
  away: ReadonlySet<number>,
  config: FusionConfig,
  options: FuseOptions,
): Promise<Scores> {
  const joined = onlyOwners(
    engine,
    input.joined,
    [...input.joined.owners.keys()].filter((owner) => !away.has(owner)),
  );
  try {
    const fused = await fuseOwners(engine, { ...input, joined, adjacency: undefined }, config, options);
    const { test } = fused.facts;
    disposeFusedModel(fused);
    return test;
  } finally {
    freeInput(engine, { joined });
  }
}

/** `joined` with these owners alone, by number. The caller frees its tensors. */
function onlyOwners(engine: Engine, { owners, samples, width, embeddings, present }: Joined, kept: number[]): Joined {
  const [all, count] = [owners.length, kept.length];
  const few = engine.buffer([samples.length, count, width]);
  const sees = engine.buffer([samples.length, count]);
  for (let row = 0; row < samples.length; row++) {
    for (const [to, from] of kept.entries()) {
      const start = (row * all + from) * width;
      few.data.set(embeddings.data.subarray(start, start + width), (row * count + to) * width);
      sees.data[row * count + to] = present.data[row * all + from];
    }
  }
  return {
    owners: kept.map((owner) => owners[owner]),
    samples,
    width,
    embeddings: few,
    present: sees,
    isComplete: sees.data.every((value) => value === 1),
  };
}
