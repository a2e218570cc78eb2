// A process that trains on planted numbers of given sizes and prints its peak memory beside the estimate, as JSON.
import { peakMemory } from '../../src/base/peak-memory.ts';
import { Engine } from '../../src/core/engine/engine.ts';
import { decodeBundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { fuseOwners } from '../../src/fuse/fuse-owners.ts';
import { resolveFusionConfig } from '../../src/fuse/fusion-config.ts';
import { InputAssembly } from '../../src/fuse/join/fusion-input.ts';
import { encodeFusedModel } from '../../src/fuse/model/fused-card.ts';
import { trainingMemory } from '../../src/fuse/training/training-memory.ts';
import { encodeCheckpoint } from '../../src/fuse/training/training-state.ts';

const { owners, samples, width, classes, changes } = JSON.parse(process.argv[2]);
const ids = Array.from({ length: samples }, (_, i) => `sample-${i}`);
const names = Array.from({ length: classes }, (_, c) => `class-${c}`);
const engine = new Engine({ threads: 1 });
const labels = { samples: ids, labels: Int32Array.from(ids, (_, i) => i % classes), classes: names };
const input = new InputAssembly(engine, { labels, split: 1, expected: owners });
let largestBundle = 0;
for (let owner = 0; owner < owners; owner++) {
  const embeddings = Float32Array.from({ length: samples * width }, (_, i) => Math.sin(i * (owner + 1)));
  const bundle = { owner: `owner-${owner}`, samples: ids, sampleType: 'text' as const, width, embeddings };
  const bytes = encodeBundle(bundle);
  largestBundle = Math.max(largestBundle, bytes.length);
  input.add(decodeBundle(bytes, bundle.owner), 'hash');
}
const config = resolveFusionConfig(changes);
const checkpoints = {
  load: () => undefined,
  offer: () => undefined,
  save: (_: number, state: Parameters<typeof encodeCheckpoint>[0]) => void encodeCheckpoint(state, 'it'),
};
encodeFusedModel(await fuseOwners(engine, input.finish(), config, { checkpoints }));
const estimate = trainingMemory({ owners, samples, width, classes, largestBundle, learningRates: 1 }, config);
await engine.dispose();
process.stdout.write(`${JSON.stringify({ peak: peakMemory(), estimate })}\n`);
