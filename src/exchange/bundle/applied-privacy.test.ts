import { describe, expect, it } from 'vitest';
import { appliedPrivacy, privacyWords } from './applied-privacy.ts';
import { parsePrivacyNote } from './privacy-note.ts';

const noise = { mechanism: 'discrete Gaussian', clip: 2, noise: 1.5, epsilon: 6.5432, delta: 1e-5 };
const shield = { kind: 'distance-correlation', weight: 0.5 };

describe('what a bundle says that its owner did', () => {
  it('is put together from its metadata', () => {
    const privacy = JSON.stringify({ ...noise, bottleneck: 4, shield });
    const found = appliedPrivacy({ privacy, pseudonyms: 'ab'.repeat(32), classes: 2 });
    expect(found).toEqual({
      noise,
      bottleneck: 4,
      answers: null,
      shield,
      pseudonyms: true,
      votes: true,
      shares: false,
    });
    expect(privacyWords(found)).toBe('ε 6.54 at δ 0.00001, bottleneck 4, shield distance-correlation 0.5, pseudonyms');
  });

  it('is nothing where it states nothing', () => {
    const found = appliedPrivacy({});
    expect(found).toEqual({
      noise: null,
      bottleneck: null,
      answers: null,
      shield: null,
      pseudonyms: false,
      votes: false,
      shares: false,
    });
    expect(privacyWords(found)).toBe('nothing');
  });
});

describe('a note', () => {
  it.each([noise, { bottleneck: 2 }, { shield }, { ...noise, bottleneck: 1, shield }])('may be %o', (note) => {
    expect(parsePrivacyNote(JSON.stringify(note))).toEqual(note);
  });

  it.each<[string, unknown]>([
    ['empty', {}],
    ['null', null],
    ['a number', 3],
    ['noise without its δ', { ...noise, delta: undefined }],
    ['a negative ε', { ...noise, epsilon: -1 }],
    ['half a bottleneck', { bottleneck: 0.5 }],
    ['a shield without weight', { shield: { kind: 'x' } }],
    ['a shield that is null', { shield: null }],
    ['a kind with a line break', { shield: { kind: 'x\ny', weight: 1 } }],
    ['a mechanism of any length', { ...noise, mechanism: 'x'.repeat(41) }],
  ])('must not be %s', (_, note) => {
    expect(parsePrivacyNote(JSON.stringify(note))).toBeUndefined();
  });
});
