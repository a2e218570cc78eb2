import { describe, expect, it } from 'vitest';
import { TimeLeft } from './time-left.ts';

describe('the time that rows × seeds still take', () => {
  it('is unknown while nothing is known', () => {
    expect(new TimeLeft(['E', 'F']).seconds(3)).toBeUndefined();
  });

  it('weighs rows by what they took on record, at the pace of this machine', () => {
    const left = new TimeLeft(['E', 'F', 'F'], { E: 10, F: 300 });
    expect(left.seconds(4)).toBe(606);
    left.finished(5); // twice as fast as on record
    expect(left.seconds(0)).toBe(300);
    expect(left.seconds(100)).toBe(200);
    expect(left.seconds(1000)).toBe(150); // it takes longer than expected; the next one is still to come
  });

  it('believes a seed that ran here more than the record', () => {
    const left = new TimeLeft(['F', 'F', 'F'], { F: 300 });
    left.finished(40);
    expect(left.seconds(0)).toBe(80);
  });

  it('takes no pace from runs that were found finished', () => {
    const left = new TimeLeft(['E', 'F'], { E: 10, F: 300 });
    left.finished(0.01);
    expect(left.seconds(0)).toBe(300);
  });

  it('takes a row without a record for a typical one', () => {
    const left = new TimeLeft(['E', 'X', 'E'], { E: 10 });
    expect(left.seconds(0)).toBe(30);
    expect(new TimeLeft([], {}).seconds(0)).toBeUndefined();
  });
});
