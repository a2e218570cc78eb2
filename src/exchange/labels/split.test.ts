import { describe, expect, test } from 'vitest';
import { parseSplit } from './split.ts';

const ids = (n: number) => Array.from({ length: n }, (_, i) => `s${i}`);

describe('parseSplit reads', () => {
  const expected = { train: ['s2', 's0'], validation: ['s1'], test: ['s3'] };
  test.each([
    ['JSON of ids', '{"train":["s2","s0"],"validation":["s1"],"test":["s3"]}'],
    ['JSON of positions', ' {"note":"x","train":[2,0],"validation":[1],"test":[3]}'],
    ['CSV', 'sample,split\ns2,train\ns0,train\ns1,validation\ns3,test\n'],
    ['CSV with quotes and CRLF', '"sample","split"\r\n"s2","train"\r\ns0,train\r\ns1,validation\r\ns3,test\r\n'],
  ])('%s', (_, text) => {
    expect(parseSplit(text, 'split', ids(4))).toEqual(expected);
  });
});

describe('parseSplit refuses', () => {
  test.each([
    [
      'an overlap',
      '{"train":[0,1],"validation":[1],"test":[2,3]}',
      'split f: sample s1 must be in one part, got train and validation',
    ],
    [
      'a sample twice in a part',
      '{"train":[0,0],"validation":[1],"test":[2,3]}',
      'sample s0 must be in one part, got train and train',
    ],
    ['an unknown id', '{"train":["x"],"validation":[1],"test":[2,3]}', 'part train names an unknown sample, got x'],
    [
      'a position out of range',
      '{"train":[4],"validation":[1],"test":[2,3]}',
      'must hold sample ids or positions from 0 to 3, got 4',
    ],
    ['a fraction', '{"train":[0.5],"validation":[1],"test":[2,3]}', 'got 0.5'],
    [
      'samples left out',
      '{"train":[0],"validation":[1],"test":[3]}',
      'every sample must be in a part, got 1 in none (the first is s2)',
    ],
    ['an empty part', '{"train":[0,1,2],"validation":[],"test":[3]}', 'part validation must have at least one sample'],
    ['a missing part', '{"train":[0,1,2],"test":[3]}', '"validation" must be a list, got nothing'],
    [
      'an unknown part',
      'sample,split\ns0,train\ns1,dev\n',
      'line 3 must be sample,train|validation|test, got "s1,dev"',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parseSplit(text, 'f', ids(4))).toThrow(
      expect.objectContaining({ code: 'F3_DATA_SPLIT', message: expect.stringContaining(message) }),
    );
  });

  test.each(['{"train":', 'hello'])('what is neither JSON nor CSV: %s', (text) => {
    expect(() => parseSplit(text, 'f', ids(4))).toThrow(expect.objectContaining({ code: 'F3_DATA_UNREADABLE' }));
  });
});
