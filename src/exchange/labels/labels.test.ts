import { describe, expect, it } from 'vitest';
import { encodeArrow, integerColumn, textColumn } from '../../base/arrow-table.ts';
import { decodeLabels, makeLabelSet } from './labels.ts';

describe('labels', () => {
  it('put classes in the order of numbers, or of the alphabet', () => {
    expect(makeLabelSet(['a', 'b', 'c'], ['10', '9', '10'], 'x').classes).toEqual(['9', '10']);
    expect(makeLabelSet(['a', 'b', 'c'], ['storm', 'calm', 'calm'], 'x')).toEqual({
      samples: ['a', 'b', 'c'],
      labels: Int32Array.from([1, 0, 0]),
      classes: ['calm', 'storm'],
    });
  });

  it('keep the order that was asked for, with classes that do not occur', () => {
    const set = makeLabelSet(['a', 'b'], ['storm', 'calm'], 'x', ['storm', 'flood', 'calm']);
    expect(Array.from(set.labels)).toEqual([0, 2]);
  });

  it('are read from Arrow: names, numbers, or positions among f3.classes', () => {
    const sample = textColumn(['a', 'b']);
    const names = encodeArrow({ sample, label: textColumn(['no', 'yes']) }, {});
    expect(decodeLabels(names, 'x').classes).toEqual(['no', 'yes']);
    const numbers = encodeArrow({ sample, label: integerColumn(Int32Array.of(7, 3)) }, {});
    expect(decodeLabels(numbers, 'x')).toMatchObject({ classes: ['3', '7'], labels: Int32Array.of(1, 0) });
    const positions = encodeArrow(
      { sample, label: integerColumn(Int32Array.of(1, 0)) },
      { 'f3.classes': '["calm","rush"]' },
    );
    expect(decodeLabels(positions, 'x')).toMatchObject({ classes: ['calm', 'rush'], labels: Int32Array.of(1, 0) });
  });
});

describe('labels refuse', () => {
  it('a sample twice', () => {
    expect(() => makeLabelSet(['a', 'b', 'a'], ['0', '1', '0'], 'labels x.csv')).toThrow(
      'labels x.csv: every sample must be labelled once, got a again in row 3',
    );
  });

  it('fewer than two classes', () => {
    expect(() => makeLabelSet(['a', 'b'], ['0', '0'], 'x')).toThrow('x: must name at least two classes, got 0');
    expect(() => makeLabelSet([], [], 'x')).toThrow('x: must label at least one sample, got none');
  });

  it('a class that is not among those named', () => {
    expect(() => makeLabelSet(['a', 'b'], ['calm', 'strom'], 'x', ['calm', 'storm'])).toThrow(
      'x: labels must be among calm, storm, got "strom" (row 2)',
    );
  });

  it('positions beyond f3.classes, a broken f3.classes, a missing column, bytes that are no Arrow', () => {
    const sample = textColumn(['a', 'b']);
    const label = integerColumn(Int32Array.of(0, 5));
    const encode = (classes: string) => encodeArrow({ sample, label }, { 'f3.classes': classes });
    expect(() => decodeLabels(encode('["u","v"]'), 'x')).toThrow('x: labels must be from 0 to 1, got 5 (row 2)');
    expect(() => decodeLabels(encode('{}'), 'x')).toThrow('x: f3.classes must be a JSON list of names, got {}');
    expect(() => decodeLabels(encodeArrow({ sample }, {}), 'x')).toThrow(
      'x: must have one column label, got columns sample',
    );
    expect(() => decodeLabels(encode('["u","v"]').subarray(0, 200), 'x')).toThrow(/x: /);
  });
});
