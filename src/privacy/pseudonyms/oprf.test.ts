import { describe, expect, it } from 'vitest';
import { blindIds, createPseudonymKey, evaluateBlinded, oprfInput, unblindIds } from './oprf.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const digits = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** RFC 9497, appendix A.1.2: ristretto255-SHA512, verifiable mode. */
const KEY = {
  secret: 'e6f73f344b79b379f1a0dd37e07ff62e38d9f71345ce62ae3a9bc60b04ccd909',
  public: 'c803e2cc6b05fc15064549b5920659ca4a77b2cca6f04f6b357009335476ad4e',
};
const VECTOR = {
  input: hex('00'),
  blind: hex('64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706'),
  blinded: hex('863f330cc1a1259ed5a5998a23acfd37fb4351a793a5b3c090b642ddc439b945'),
  evaluated: 'aa8fa048764d5623868679402ff6108d2521884fa138cd7f9c7669a9a014267e',
  proof: hex(
    'ddef93772692e535d1a53903db24367355cc2cc78de93b3be5a8ffcc6985dd066d4346421d17bf5117a2a1ff0fcb2a759f58a539dfbe857a40bce4cf49ec600d',
  ),
  output:
    'b58cfbe118e0cb94d79b5fd6a6dafb98764dff49c14e1770b566e42402da1a7da4d8527693914139caee5bd03903af43a491351d23b430948dd50cde10d32b3c',
};

describe('the vectors of RFC 9497', () => {
  it('are evaluated as they stand there', () => {
    expect(digits(evaluateBlinded(KEY, [VECTOR.blinded]).evaluated[0])).toBe(VECTOR.evaluated);
  });

  it('give the output as it stands there, by the proof that stands there', () => {
    const { input, blind, blinded, evaluated, proof, output } = VECTOR;
    const answer = { evaluated: [hex(evaluated)], proof };
    const [pseudonym] = unblindIds([input], { blinds: [blind], blinded: [blinded] }, answer, KEY.public);
    expect(output.startsWith(pseudonym)).toBe(true);
    expect(pseudonym).toHaveLength(32);
  });
});

describe('pseudonyms', () => {
  const key = createPseudonymKey();
  const inputs = ['a', 'b', 'a'].map((id) => oprfInput('grid', id));
  const ask = (own = key, asked = inputs) => {
    const blinded = blindIds(asked);
    return { blinded, answer: evaluateBlinded(own, blinded.blinded) };
  };

  it('are the same for the same id and key, whoever asks, and look different on the way each time', () => {
    const [first, second] = [ask(), ask()];
    const names = unblindIds(inputs, first.blinded, first.answer, key.public);
    expect(unblindIds(inputs, second.blinded, second.answer, key.public)).toEqual(names);
    expect(names[0]).toBe(names[2]);
    expect(names[0]).not.toBe(names[1]);
    const seen = [...first.blinded.blinded, ...second.blinded.blinded].map(digits);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('are others in another federation and under another key', () => {
    const [name] = unblindIds(inputs, ...pair(ask()), key.public);
    const elsewhere = [oprfInput('roads', 'a')];
    expect(unblindIds(elsewhere, ...pair(ask(key, elsewhere)), key.public)[0]).not.toBe(name);
    const other = createPseudonymKey();
    expect(unblindIds(inputs, ...pair(ask(other)), other.public)[0]).not.toBe(name);
  });

  it('of a key holder that answers under another key than it published are refused', () => {
    const { blinded, answer } = ask(createPseudonymKey());
    expect(() => unblindIds(inputs, blinded, answer, key.public)).toThrow(
      expect.objectContaining({ code: 'F3_PSEUDONYM_PROOF' }),
    );
  });

  it('of a key holder that changes one answer of a batch are refused', () => {
    const { blinded, answer } = ask();
    const swapped = { ...answer, evaluated: [answer.evaluated[1], answer.evaluated[0], answer.evaluated[2]] };
    expect(() => unblindIds(inputs, blinded, swapped, key.public)).toThrow(
      expect.objectContaining({ code: 'F3_PSEUDONYM_PROOF' }),
    );
  });

  it.each([
    ['bytes that are no element', new Uint8Array(32).fill(255)],
    ['the identity', new Uint8Array(32)],
    ['too few bytes', new Uint8Array(31)],
  ])('are not evaluated for %s', (_, element) => {
    expect(() => evaluateBlinded(key, [element])).toThrow(expect.objectContaining({ code: 'F3_REQUEST' }));
  });

  const pair = ({ blinded, answer }: ReturnType<typeof ask>) => [blinded, answer] as const;
});
