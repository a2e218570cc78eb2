import { expect, it } from 'vitest';
import { isNewOwnerName, nameSkeleton } from './lookalike-names.ts';

it.each(['plant-7', 'Umspannwerk Köln-Süd', 'подстанция 4', 'σταθμός', '変電所-3', 'a.b_c (west)'])(
  '%s is a name',
  (name) => {
    expect(isNewOwnerName(name)).toBe(true);
  },
);

it.each([
  ['a zero-width space', 'plant\u200b-7'],
  ['a zero-width joiner', 'plant\u200d-7'],
  ['a mark that turns the writing around', 'plant-\u202e7'],
  ['a soft hyphen', 'pla\u00adnt-7'],
  ['a no-break space', 'plant\u00a07'],
  ['a letter and its accent apart', 'Ko\u0308ln'],
  ['full-width letters', '\uff50lant-7'],
  ['a Cyrillic a among Latin letters', 'pl\u0430nt-7'],
  ['a Greek o among Latin letters', 'm\u03bfter'],
  ['a private character', 'plant\ue000'],
  ['a line break', 'plant\n7'],
  ['half a character', 'plant\ud800'],
])('%s in a name is refused', (_, name) => {
  expect(isNewOwnerName(name)).toBe(false);
});

it('whole words that look alike have one skeleton, and others have their own', () => {
  expect(nameSkeleton('\u0441\u043e\u0440\u0430')).toBe(nameSkeleton('copa'));
  expect(nameSkeleton('Plant-7')).toBe(nameSkeleton('plant-7'));
  expect(nameSkeleton('plant-1')).not.toBe(nameSkeleton('plant-l'));
});
