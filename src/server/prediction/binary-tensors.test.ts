import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { F3Error } from '../../errors.ts';
import { BinaryTensors, parsedHeader, splitBinaryBody } from './binary-tensors.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a body of JSON and tensors', () => {
  it('is split where the header says; without one all is JSON', () => {
    expect(splitBinaryBody(bytes('{"a":1}xyz'), '7')).toEqual([bytes('{"a":1}'), bytes('xyz')]);
    expect(splitBinaryBody(bytes('{"a":1}'), undefined)).toEqual([bytes('{"a":1}'), new Uint8Array()]);
    expect(parsedHeader(bytes('{"a":1}'))).toEqual({ a: 1 });
    expect(() => parsedHeader(bytes('{"a":'))).toThrow('its first 5 bytes must be JSON');
  });

  it.each(['-1', '1.5', '0x7', ' 7', '', 'seven', '11', '99999999999999999999'])(
    'is refused with length %j',
    (length) => {
      expect(() => splitBinaryBody(bytes('{"a":1}xyz'), length)).toThrow(F3Error);
    },
  );

  it('is split or refused with a code, whatever comes', () => {
    const length = fc.option(fc.oneof(fc.string(), fc.integer().map(String)), { nil: undefined });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), length, (body, header) => {
        try {
          parsedHeader(splitBinaryBody(body, header)[0]);
        } catch (error) {
          expect(error).toMatchObject({ code: 'F3_REQUEST' });
        }
      }),
    );
  });
});

describe('tensors behind JSON', () => {
  it('are taken in order, from any offset', () => {
    const raw = new Uint8Array(1 + 12);
    const view = new DataView(raw.buffer);
    [1.5, -2, 3].forEach((value, i) => {
      view.setFloat32(1 + 4 * i, value, true);
    });
    const tensors = new BinaryTensors(raw.subarray(1));
    expect(tensors.take('a', 8, [1, 2])).toEqual(Float32Array.of(1.5, -2));
    expect(() => tensors.requireEmpty()).toThrow('inputs must take all bytes behind the JSON, got 4 more');
    expect(tensors.take('b', 4, [1, 1])).toEqual(Float32Array.of(3));
    tensors.requireEmpty();
  });

  it('must be as long as they say and as their shape says', () => {
    const tensors = new BinaryTensors(new Uint8Array(8));
    expect(() => tensors.take('a', 8, [1, 3])).toThrow('input a: binary_data_size of 1 × 3 FP32 must be 12, got 8');
    expect(() => tensors.take('a', 12, [1, 3])).toThrow('input a: must have 12 bytes behind the JSON, got 8');
  });
});
