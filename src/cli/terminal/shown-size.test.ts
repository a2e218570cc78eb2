import { expect, test } from 'vitest';
import { shownSize } from './shown-size.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [27_394, '27.4 kB'],
  [1_250_000, '1.3 MB'],
  [3e12, '3000.0 GB'],
])('%d bytes are %s', (bytes, text) => expect(shownSize(bytes)).toBe(text));
