// Ten lines: fuse embeddings that are held in memory, then predict with an owner absent.
import { fuse } from 'federated-feature-fusion';

const samples = Array.from({ length: 200 }, (_, i) => `event-${i}`);
const labels = Object.fromEntries(samples.map((sample, i) => [sample, i % 3 === 0 ? 'storm' : 'calm']));
const bundles = [1, -0.5].map((gain, owner) => ({
  owner: owner === 0 ? 'north' : 'south', // south sees the same events, with the sign turned round
  samples,
  embeddings: samples.map((sample, i) => [labels[sample] === 'storm' ? gain : -gain, Math.sin(i + owner)]),
}));

const model = await fuse({ bundles, labels, split: 1 }); // 70 % train, 10 % validate, 20 % test, drawn with seed 1
console.log('F1 on the test part:', model.facts.test.f1);
for (const { sample, class: label, owners } of await model.predict(bundles, { without: ['south'] })) {
  if (sample === 'event-3') console.log(`${sample}: ${label}, said ${owners} of 2 owners`);
}
await model.dispose();
