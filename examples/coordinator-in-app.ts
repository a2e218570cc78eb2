// A coordinator inside a program of your own: owners join with a code, send once, a model is trained and answers.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBundle, encodeLabels } from 'federated-feature-fusion/bundle';
import { CoordinatorClient, joinFederation, loadKeyPair, openMembership } from 'federated-feature-fusion/client';
import { startServer } from 'federated-feature-fusion/server';

const place = mkdtempSync(join(tmpdir(), 'f3-app-'));
const server = await startServer({ data: join(place, 'coordinator'), port: 0 });
const operator = new CoordinatorClient({ url: server.url, keys: await loadKeyPair(server.operatorKey) });
await operator.createFederation('grid', ['calm', 'storm']);

/** What a member does on its own machine: the code comes from the operator, the private key never leaves. */
async function member(owner: string, role: 'owner' | 'labels'): Promise<CoordinatorClient> {
  const { code } = await operator.invite('grid', { owner, role });
  return openMembership(await joinFederation({ home: join(place, owner), url: server.url, code }));
}

const samples = Array.from({ length: 120 }, (_, i) => `event-${i}`);
const storm = samples.map((_, i) => i % 3 === 0);
const owners = ['north', 'south'];
for (const [i, owner] of owners.entries()) {
  const embeddings = Float32Array.from(samples.flatMap((_, s) => [storm[s] ? 1 : -1, Math.sin(s + i)]));
  const client = await member(owner, 'owner');
  await client.upload('grid', 'bundle', encodeBundle({ owner, samples, sampleType: 'text', width: 2, embeddings }));
}
const holder = await member('holder', 'labels');
const labels = Int32Array.from(storm, (is) => (is ? 1 : 0));
await holder.upload('grid', 'labels', encodeLabels({ samples, labels, classes: ['calm', 'storm'] }));

const { id } = await operator.train('grid', { split: 1, config: { epochs: 60 } });
for await (const { epoch, validationLoss } of operator.trainingEvents('grid', id)) {
  if (epoch === 60) console.log(`epoch ${epoch}, validation loss ${validationLoss?.toFixed(3)}`);
}
const answer = await operator.predict('grid', { samples: [{ id: 'now', embeddings: { north: [1, 0] } }] });
console.log(JSON.stringify(answer));
await server.close();
