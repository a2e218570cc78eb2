// Tests of the error functions against values computed with mpmath at 60 digits.

import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { erf, erfc, inverseErf, inverseErfc } from './inverse-error-function.ts';

/** x, erf(x), erfc(x). */
const FORWARD = [
  [1e-10, 1.1283791670955126e-10, 0.999999999887162],
  [0.001, 0.0011283787909692365, 0.9988716212090307],
  [0.1, 0.1124629160182849, 0.887537083981715],
  [0.25, 0.27632639016823696, 0.7236736098317631],
  [0.5, 0.5204998778130465, 0.4795001221869535],
  [0.75, 0.7111556336535151, 0.28884436634648486],
  [1, 0.8427007929497149, 0.15729920705028513],
  [1.5, 0.9661051464753108, 0.033894853524689274],
  [2, 0.9953222650189527, 0.004677734981047266],
  [2.5, 0.999593047982555, 0.0004069520174449589],
  [3, 0.9999779095030014, 2.209049699858544e-5],
  [4, 0.9999999845827421, 1.541725790028002e-8],
  [5, 0.9999999999984626, 1.537459794428035e-12],
  [6, 1, 2.1519736712498913e-17],
  [8, 1, 1.1224297172982926e-29],
  [10, 1, 2.088487583762545e-45],
  [20, 1, 5.395865611607901e-176],
  [26, 1, 5.663192408856143e-296],
] as const;

/** x, erf⁻¹(x). */
const INVERSE = [
  [1e-300, 8.86226925452758e-301],
  [1e-20, 8.86226925452758e-21],
  [1e-8, 8.86226925452758e-9],
  [0.0001, 8.862269277728948e-5],
  [0.01, 0.008862501280950598],
  [0.05, 0.044340387910005497],
  [0.1, 0.08885599049425769],
  [0.2, 0.1791434546212917],
  [0.3, 0.2724627147267543],
  [0.4, 0.37080715859355795],
  [0.499999, 0.4769351636202413],
  [0.5, 0.4769362762044699],
  [0.500001, 0.47693738878987924],
  [0.6, 0.5951160814499948],
  [0.7, 0.7328690779592167],
  [0.75, 0.8134198475976185],
  [0.8, 0.9061938024368233],
  [0.9, 1.1630871536766743],
  [0.95, 1.3859038243496777],
  [0.99, 1.8213863677184494],
  [0.999, 2.3267537655135246],
  [0.9999, 2.75106390571208],
  [0.99999, 3.123413274341571],
  [1 - 1e-6, 3.458910737275499],
  [1 - 2 ** -24, 3.832506856900711],
  [1 - 1e-8, 4.052237243268763],
  [1 - 1e-10, 4.572824958544925],
  [1 - 1e-12, 5.042031898572696],
  [1 - 1e-14, 5.4725525174145355],
  [1 - 2 ** -53, 5.8635847487551676],
] as const;

/** q, erfc⁻¹(q). */
const INVERSE_COMPLEMENT = [
  [1e-300, 26.209469960516124],
  [1e-100, 15.065574702592645],
  [1e-50, 10.592090169527365],
  [1e-20, 6.601580622355143],
  [1e-12, 5.042029745639059],
  [1e-5, 3.123413274340875],
  [0.01, 1.8213863677184496],
  [0.2, 0.9061938024368232],
  [0.5, 0.4769362762044699],
  [0.7, 0.2724627147267544],
  [0.99, 0.008862501280950607],
] as const;

const TOLERANCE = 1.5e-15;

function relativeError(actual: number, expected: number): number {
  return Math.abs(actual / expected - 1);
}

describe('erf and erfc', () => {
  test.each(FORWARD)('agree with 60-digit values at ±%d', (x, value, complement) => {
    expect(relativeError(erf(x), value)).toBeLessThan(TOLERANCE);
    expect(relativeError(erfc(x), complement)).toBeLessThan(TOLERANCE);
    expect(erf(-x)).toBe(-erf(x));
    expect(relativeError(erfc(-x), 1 + value)).toBeLessThan(TOLERANCE);
  });

  test('reach their limits at 0 and ±∞ and pass NaN on', () => {
    expect([erf(0), erf(Number.POSITIVE_INFINITY), erf(Number.NEGATIVE_INFINITY)]).toEqual([0, 1, -1]);
    expect([erfc(0), erfc(Number.POSITIVE_INFINITY), erfc(Number.NEGATIVE_INFINITY)]).toEqual([1, 0, 2]);
    expect([erf(Number.NaN), erfc(Number.NaN)]).toEqual([Number.NaN, Number.NaN]);
  });
});

describe('inverseErf', () => {
  test.each(INVERSE)('agrees with 60-digit values at ±%d', (x, value) => {
    expect(relativeError(inverseErf(x), value)).toBeLessThan(TOLERANCE);
    expect(inverseErf(-x)).toBe(-inverseErf(x));
  });

  test('undoes erf, as far as the rounding of erf lets it', () => {
    fc.assert(
      fc.property(fc.double({ min: -5, max: 5, noNaN: true }), (y) => {
        // One rounding of erf(y) moves its inverse by up to 2^-53·(√π/2)·exp(y²).
        const conditioning = 2 ** -53 * (Math.sqrt(Math.PI) / 2) * Math.exp(y * y);
        expect(Math.abs(inverseErf(erf(y)) - y)).toBeLessThanOrEqual(4 * conditioning + TOLERANCE * Math.abs(y));
      }),
    );
  });

  test('is ±∞ at ±1 and refuses what lies beyond', () => {
    expect([inverseErf(1), inverseErf(-1)]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    expect(() => inverseErf(1.5)).toThrow('inverseErf argument: must be in [-1, 1], got 1.5');
    expect(() => inverseErf(Number.NaN)).toThrow('got NaN');
  });
});

describe('inverseErfc', () => {
  test.each(INVERSE_COMPLEMENT)('agrees with 60-digit values at %d', (q, value) => {
    expect(relativeError(inverseErfc(q), value)).toBeLessThan(TOLERANCE);
  });

  test('undoes erfc over the whole right tail', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 26, noNaN: true }), (y) => {
        expect(relativeError(inverseErfc(erfc(y)), y)).toBeLessThan(2 * TOLERANCE);
      }),
    );
  });

  test('is odd about 1 and refuses what lies outside [0, 2]', () => {
    for (const q of [0, 0.25, 0.5, 0.75]) expect(inverseErfc(2 - q)).toBe(-inverseErfc(q));
    expect(() => inverseErfc(-0.1)).toThrow('inverseErfc argument: must be in [0, 2], got -0.1');
  });
});
