import { expect, test } from 'vitest';
import { paperPreset } from '../fusion-config.ts';
import { parseFusedCard } from './fused-card.ts';

const card = {
  format: 'f3-fused-model',
  version: 1,
  config: paperPreset,
  classes: ['calm', 'storm'],
  owners: [{ owner: 'a', width: 4, bundle: '', rows: 3, joined: 3 }],
  samples: {},
  history: [],
  validation: {},
  test: {},
};
const parse = (change: object) => parseFusedCard(JSON.stringify({ ...card, ...change }), 'model.json');

test('a card comes back as it was', () => {
  expect(parse({})).toEqual(card);
});

test('a card from before a field existed has the paper’s value of it', () => {
  const { neighbourGraph: _, ...older } = paperPreset;
  expect(parse({ config: older })).toEqual(card);
});

test.each([
  ['owners that are no list', { owners: {} }, 'model.json: owners must be a list with owner and width, got another'],
  ['an owner without a width', { owners: [{ owner: 'a' }] }, 'owners must be a list with owner and width'],
  ['an owner that is nothing', { owners: [null] }, 'owners must be a list with owner and width'],
  ['one class', { classes: ['calm'] }, 'classes must be a list of at least two names, got ["calm"]'],
  ['an empty config', { config: {} }, 'config must name a method, got none'],
  [
    'a negative width',
    { config: { ...paperPreset, hidden: -8 } },
    'model.json: config, hidden: must be a whole number from 1 to 4096, got -8',
  ],
  [
    'a method of its own',
    { config: { ...paperPreset, method: 'magic' } },
    'method: must be consensus, transformer, concatenation, boosting, majority, threshold, best or average, got "magic"',
  ],
])('%s is refused', (_, change, message) => {
  expect(() => parse(change)).toThrow(message);
});
