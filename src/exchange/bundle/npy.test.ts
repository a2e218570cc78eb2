import { describe, expect, test } from 'vitest';
import { writeFloatNpy, writeNpy } from '../../../test/support/write-npy.ts';
import { readNpyIds, readNpyMatrix, readNpyWindows } from './npy.ts';

/** As numpy.save of NumPy 2.4 wrote it: header, spaces up to byte 128, numbers. */
const fromNumpy = (head: string, data: string) =>
  Buffer.concat([Buffer.from(`\x93NUMPY\x01\x00v\x00${head.padEnd(117)}\n`, 'latin1'), Buffer.from(data, 'base64')]);

const VALUES = [1, 2, 3, -4, 0.5, 6];
const matrix = { rows: 2, width: 3, values: Float32Array.from(VALUES) };
const swapped = (data: Float64Array) => Buffer.from(data.buffer).swap64();

describe('readNpyWindows', () => {
  // numpy.arange(12).reshape(2, 3, 2), in C order and as numpy.asfortranarray lays it out.
  const inOrder = Float32Array.from({ length: 12 }, (_, i) => i);
  const fortran = Float32Array.of(0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11);

  test('reads three dimensions in C and in Fortran order, and two as one variate', () => {
    const shape = [2, 3, 2];
    const windows = { rows: 2, length: 3, variates: 2, values: inOrder };
    expect(readNpyWindows(writeNpy({ descr: '<f4', shape, data: inOrder }), 'w.npy')).toEqual(windows);
    const turned = writeNpy({ descr: '<f4', shape, data: fortran, isFortran: true });
    expect(readNpyWindows(turned, 'w.npy')).toEqual(windows);
    expect(readNpyWindows(writeFloatNpy([...inOrder], 4), 'w.npy')).toMatchObject({ length: 4, variates: 1 });
  });

  test('says which shapes it takes', () => {
    const flat = writeNpy({ descr: '<f4', shape: [12], data: inOrder });
    expect(() => readNpyWindows(flat, 'w.npy')).toThrow('or three, (samples, time, variates), got shape (12)');
  });
});

describe('readNpyMatrix', () => {
  test('reads what NumPy wrote: Fortran order', () => {
    const bytes = fromNumpy(
      "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
      'AACAPwAAgMAAAABAAAAAPwAAQEAAAMBA',
    );
    expect(readNpyMatrix(bytes, 'e.npy')).toEqual(matrix);
  });

  test('reads what NumPy wrote: float16 with the largest and a subnormal number', () => {
    const bytes = fromNumpy("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }", 'ADwAwP97AQA=');
    expect(readNpyMatrix(bytes, 'e.npy').values).toEqual(Float32Array.of(1, -2, 65504, 2 ** -24));
  });

  test('float16 has NaN and infinities', () => {
    const data = Uint16Array.of(0x7e00, 0x7c00, 0xfc00, 0x8000);
    const { values } = readNpyMatrix(writeNpy({ descr: '<f2', shape: [2, 2], data }), 'e.npy');
    expect(values).toEqual(Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0));
  });

  test.each([
    ['float32', writeFloatNpy(VALUES, 3)],
    ['float64', writeNpy({ descr: '<f8', shape: [2, 3], data: Float64Array.from(VALUES) })],
    ['big-endian float64', writeNpy({ descr: '>f8', shape: [2, 3], data: swapped(Float64Array.from(VALUES)) })],
    ['header version 2', writeNpy({ descr: '<f4', shape: [2, 3], data: Float32Array.from(VALUES), version: 2 })],
    ['header version 3', writeNpy({ descr: '<f4', shape: [2, 3], data: Float32Array.from(VALUES), version: 3 })],
  ])('reads %s', (_, bytes) => {
    expect(readNpyMatrix(bytes, 'e.npy')).toEqual(matrix);
  });

  test('bytes may start anywhere in a larger buffer', () => {
    const bytes = Buffer.concat([Buffer.from('abc'), writeFloatNpy(VALUES, 3)]);
    expect(readNpyMatrix(bytes.subarray(3), 'e.npy')).toEqual(matrix);
  });

  const float = Float32Array.from(VALUES);
  test.each<[string, Uint8Array, string]>([
    [
      'integers',
      writeNpy({ descr: '<i8', shape: [2, 1], data: BigInt64Array.of(1n, 2n) }),
      'dtype must be float16, float32 or float64, got i8; convert with array.astype("float32")',
    ],
    [
      'complex numbers',
      writeNpy({ descr: '<c8', shape: [3, 1], data: float }),
      'dtype must be float16, float32 or float64, got c8',
    ],
    [
      'objects',
      writeNpy({ descr: '|O', shape: [2, 1], data: float }),
      "dtype must be a plain number or text type, got '|O'",
    ],
    [
      'structures',
      fromNumpy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", ''),
      "got [('a', '<f4')]",
    ],
    [
      'one dimension',
      writeNpy({ descr: '<f4', shape: [6], data: float }),
      'must have two dimensions, (samples, width from 1), got shape (6); array.reshape(-1, 1)',
    ],
    ['three dimensions', writeNpy({ descr: '<f4', shape: [1, 2, 3], data: float }), 'got shape (1, 2, 3)'],
    ['width 0', writeNpy({ descr: '<f4', shape: [6, 0], data: new Float32Array() }), 'got shape (6, 0)'],
    [
      'a cut file',
      writeFloatNpy(VALUES, 3).subarray(0, -1),
      'must hold 24 bytes of numbers for shape (2, 3) of f4, got 23',
    ],
    ['a cut header', writeFloatNpy(VALUES, 3).subarray(0, 40), 'must have a whole .npy header'],
    ['a cut mark', writeFloatNpy(VALUES, 3).subarray(0, 11), 'must be a whole .npy file, got 11 bytes'],
    [
      'version 4',
      writeNpy({ descr: '<f4', shape: [2, 3], data: float, version: 4 }),
      'must be of .npy version 1, 2 or 3, got version 4',
    ],
    [
      'an .npz',
      Buffer.from('PK\x03\x04 and more'),
      'must be a .npy file, got an .npz archive; save one array with numpy.save',
    ],
    ['text', Buffer.from('1,2,3\n4,5,6\n'), 'must be a .npy file, got no .npy mark'],
    ['nothing', Buffer.alloc(0), 'must be a .npy file, got no .npy mark'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readNpyMatrix(bytes, 'e.npy')).toThrow(
      expect.objectContaining({ code: 'F3_BUNDLE_NPY', message: expect.stringMatching(/^e\.npy: /) }),
    );
    expect(() => readNpyMatrix(bytes, 'e.npy')).toThrow(message);
  });
});

describe('readNpyIds', () => {
  test('reads what NumPy wrote: texts, filled up with zeros', () => {
    const data = 'cwAAADEAAAAAAAAAAAAAAAAAAAAAAAAAZwAAAHIAAAD2AAAA3wAAAGUAAAAA9gEA';
    const bytes = fromNumpy("{'descr': '<U6', 'fortran_order': False, 'shape': (2,), }", data);
    expect(readNpyIds(bytes, 'ids.npy')).toEqual({ samples: ['s1', 'größe😀'], sampleType: 'text' });
  });

  test('reads integers of 32 and 64 bits', () => {
    const wide = writeNpy({ descr: '<i8', shape: [2], data: BigInt64Array.of(1n, -(2n ** 63n)) });
    expect(readNpyIds(wide, 'ids.npy')).toEqual({ samples: ['1', '-9223372036854775808'], sampleType: 'integer' });
    const narrow = writeNpy({ descr: '<i4', shape: [2], data: Int32Array.of(1, -2) });
    expect(readNpyIds(narrow, 'ids.npy')).toEqual({ samples: ['1', '-2'], sampleType: 'integer' });
  });

  test('refuses fractions and tables', () => {
    const fractions = writeNpy({ descr: '<f8', shape: [2], data: Float64Array.of(1, 2) });
    expect(() => readNpyIds(fractions, 'ids.npy')).toThrow(
      'ids.npy: dtype must be int64, int32, str or datetime64, got f8; convert with ids.astype(str)',
    );
    expect(() => readNpyIds(writeFloatNpy(VALUES, 3), 'ids.npy')).toThrow(
      'ids must have one dimension, got shape (2, 3)',
    );
  });
});
