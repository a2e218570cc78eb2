import { expect, test } from 'vitest';
import { SampleOverlap } from './sample-overlap.ts';

test('samples are counted by pair, by number of owners and by group', () => {
  const overlap = new SampleOverlap();
  overlap.setLabelled(['a', 'b', 'x']);
  overlap.add('north', ['a', 'b', 'c']);
  overlap.add('south', ['b', 'c', 'd']);
  expect(overlap.count()).toEqual({
    owners: ['north', 'south'],
    samples: [3, 3],
    labelled: [2, 1],
    pairs: [3, 2, 2, 3],
    sets: [
      { owners: 1, samples: 2 },
      { owners: 2, samples: 2 },
    ],
    top: [
      { owners: ['north', 'south'], size: 2, samples: 2 },
      { owners: ['north'], size: 1, samples: 1 },
      { owners: ['south'], size: 1, samples: 1 },
    ],
    all: 4,
    allLabelled: 2,
  });
});

test('without labels and above 200 owners less is told', () => {
  const overlap = new SampleOverlap();
  for (let i = 0; i <= 200; i++) overlap.add(`owner-${i}`, ['a']);
  expect(overlap.count()).toMatchObject({
    labelled: null,
    pairs: null,
    top: [{ owners: null, size: 201, samples: 1 }],
  });
});
