// Fusion on shares: split numbers and open them, then train with three entities none of which can read an embedding.
import { fuseWithEntities, openNumbers, Scheme, shareNumbers } from 'federated-feature-fusion/shares';

const scheme = new Scheme(1, 3); // one of three entities learns nothing, two together learn all
const [one = new Uint8Array(), , three = new Uint8Array()] = await shareNumbers(scheme, [2.5, -1]);
const held = Buffer.from(one.subarray(0, 16).toReversed()).toString('hex');
console.log(`entity 1 holds of 2.5: ${BigInt(`0x${held}`).toString().slice(0, 20)}…`); // another one each time
const opened = await openNumbers(
  scheme,
  new Map([
    [1, one],
    [3, three],
  ]),
);
console.log(`entities 1 and 3 open: ${opened.join(', ')}`);

const samples = Array.from({ length: 200 }, (_, i) => `event-${i}`);
const labels = Object.fromEntries(samples.map((sample, i) => [sample, i % 3 === 0 ? 'storm' : 'calm']));
const bundles = [1, -0.5].map((gain, owner) => ({
  owner: owner === 0 ? 'north' : 'south',
  samples,
  embeddings: samples.map((sample, i) => [labels[sample] === 'storm' ? gain : -gain, Math.sin(i + owner)]),
}));

// Entities are threads here, to try it out. In earnest they are run by parties that do not trust each other: docs/shares.md.
const model = await fuseWithEntities({ bundles, labels, split: 1, config: { epochs: 20, hidden: 4 } });
console.log('F1 on the test part:', model.card.test.f1);
for (const { sample, class: label, owners } of await model.predict(['event-3'], { without: ['south'] })) {
  console.log(`${sample}: ${label}, said ${owners.join(', ')}`);
}
const ledger = await model.ledger();
const told = ledger.filter(({ to }) => to === 'coordinator');
const total = told.map(({ what, count }) => `${count.toLocaleString('en-US')} ${what}`).join(', ');
console.log(`opened to the coordinator: ${total}; nothing else`);
for (const { what, count, maskBits } of ledger) {
  if (maskBits !== undefined) console.log(`opened to the entities: ${count} ${what}, behind ${maskBits} bits of mask`);
}
await model.dispose();
