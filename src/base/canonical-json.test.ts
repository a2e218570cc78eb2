import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('keys stand in the order of their UTF-16 units, also those that look like numbers', () => {
  // The example of RFC 8785, section 3.2.3.
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  const order = [...canonicalJson(value).matchAll(/:(\d)/g)].map(([, number]) => Number(number));
  expect(order).toEqual([2, 4, 6, 7, 1, 5, 3]);
  expect(canonicalJson({ 10: 'a', 9: 'b', b: [{ d: 1, c: null }], a: undefined })).toBe(
    '{"10":"a","9":"b","b":[{"c":null,"d":1}]}',
  );
});

test('numbers are written as JavaScript writes them', () => {
  expect(canonicalJson([1e21, 1e-7, -0, 0.1])).toBe('[1e+21,1e-7,0,0.1]');
});
