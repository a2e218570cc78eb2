import { expect, test } from 'vitest';
import type { ServedModel } from '../../infer/served-model.ts';
import { FederationFeed, LiveFeed, type MadePrediction } from './live-feed.ts';

const owners = ['north', 'south', 'west'];
const card = {
  classes: ['calm', 'storm'],
  owners: owners.map((owner) => ({ owner })),
} as unknown as ServedModel['card'];
const made = (sample: string, present = owners, more: Partial<MadePrediction> = {}): MadePrediction => ({
  sample,
  version: 1,
  model: { card },
  answer: { class: 'calm', probabilities: [0.75, 0.25], owners: present },
  embeddings: new Map(present.map((owner) => [owner, new Float32Array(4)])),
  source: 'live',
  latencyMs: 12.4,
  isLate: false,
  ...more,
});

test('a prediction that several owners are told of is one; more owners make another', () => {
  const feed = new FederationFeed();
  feed.publish(made('a', ['north']));
  feed.publish(made('a', ['north']));
  feed.publish(made('a'));
  const { predictions, skipped } = feed.since(0, 10);
  expect(predictions).toMatchObject([
    { number: 1, sample: 'a', present: 1, owners: 3, absent: ['south', 'west'], latencyMs: 12, canExplain: true },
    { number: 2, sample: 'a', present: 3, absent: [] },
  ]);
  expect(skipped).toBe(0);
});

test('the probability is that of the class that is named, not of the likeliest, with an uncertainty where there is one', () => {
  const feed = new FederationFeed();
  feed.publish(made('rare', owners, { answer: { class: 'storm', probabilities: [0.75, 0.25], owners } }));
  const sure = { class: 'storm', probabilities: [0.25, 0.75], owners, uncertainty: 0.0123456 };
  feed.publish(made('of several', owners, { answer: sure }));
  const [rare, several] = feed.since(0, 10).predictions;
  expect(rare).toMatchObject({ class: 'storm', probability: 0.25 });
  expect(rare).not.toHaveProperty('uncertainty');
  expect(several).toMatchObject({ probability: 0.75, uncertainty: 0.012346 });
});

test('whoever comes back gets what came after, the newest of it, and how much was left out', () => {
  const feed = new FederationFeed();
  for (let i = 0; i < 50; i++) feed.publish(made(`s${i}`));
  expect(feed.since(40, 100).predictions.map(({ number }) => number)).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
  expect(feed.since(10, 5)).toMatchObject({ predictions: [{ number: 46 }, {}, {}, {}, { number: 50 }], skipped: 35 });
  expect(feed.since(9999, 2).predictions.map(({ number }) => number)).toEqual([49, 50]);
});

test('only the last samples are kept, by number and by bytes', () => {
  const feed = new FederationFeed();
  for (let i = 0; i < 1200; i++) feed.publish(made(`s${i}`));
  expect([feed.find('s0'), feed.find('s1199')]).toMatchObject([undefined, { version: 1 }]);
  expect(feed.since(0, 10_000).predictions.length).toBeLessThanOrEqual(1000);
  feed.publish(made('huge', ['north'], { embeddings: new Map([['north', new Float32Array(5_000_000)]]) }));
  expect(feed.find('huge')).toBeUndefined();
  for (let i = 0; i < 5; i++) {
    feed.publish(made(`large${i}`, ['north'], { embeddings: new Map([['north', new Float32Array(1_000_000)]]) }));
  }
  expect([feed.find('large0'), feed.find('large4')]).toMatchObject([undefined, { version: 1 }]);
});

test('federations that nobody watches are forgotten, others are not', () => {
  const feeds = new LiveFeed();
  const watched = feeds.of('watched');
  watched.watch();
  for (let i = 0; i < 300; i++) feeds.of(`other-${i}`);
  expect(feeds.of('watched')).toBe(watched);
});
