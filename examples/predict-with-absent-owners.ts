// Prediction goes on when owners are absent: who can be missed, what absence costs, and which edges the model learned.
import { fuse, type PlainBundle } from 'federated-feature-fusion';
import { plantedClasses, simulatePlanted } from 'federated-feature-fusion/data';

const [owners, width] = [8, 4];
const planted = simulatePlanted({ owners, width, samples: 600, seed: 3 });
const samples = Array.from(planted.labels, (_, s) => `s${s}`);
const bundles: PlainBundle[] = Array.from({ length: owners }, (_, owner) => ({
  owner: `owner-${owner}`,
  samples,
  embeddings: samples.map((_, s) =>
    planted.embeddings.subarray((s * owners + owner) * width, (s * owners + owner + 1) * width),
  ),
}));
const labels = { samples, labels: planted.labels, classes: plantedClasses(width) };

const model = await fuse({ bundles, labels, split: 1, config: { preset: 'graph', epochs: 80 } });
const { absence, edges } = await model.explain({ bundles, labels, split: 1 });
for (const { owner, f1 } of absence?.slice(0, 3) ?? [])
  console.log(`without ${owner}: F1 ${f1 < 0 ? '' : '+'}${f1.toFixed(3)}`);
const [strongest] = edges;
console.log(`strongest edge: ${strongest?.from} – ${strongest?.to}, ${strongest?.probability.toFixed(2)}`);

// All but two owners are away: every answer says how many had something to say.
const predictions = await model.predict(bundles.slice(-2));
const { sample, class: label, owners: present } = predictions.at(0);
console.log(`${sample}: ${label}, from ${present} of ${owners} owners`);
await model.dispose();
