// Progress without a terminal: what whoever reads a log sees.
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress, roughly } from './progress.ts';

describe('time left', () => {
  it.each([
    [0.2, '1 s'],
    [120, '120 s'],
    [121, '3 min'],
    [7100, '119 min'],
    [7260, '2 h 1 min'],
  ])('%d s are %s', (seconds, text) => expect(roughly(seconds)).toBe(text));
});

describe('progress in a log', () => {
  const written = (log: PassThrough) => log.read()?.toString();
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('is a line per stage and one every ten seconds, with the time that parts took so far', () => {
    const log = new PassThrough();
    const { update } = new Progress(log);
    update('training', 0, 40);
    vi.advanceTimersByTime(5000);
    update('training', 5, 40);
    vi.advanceTimersByTime(5000);
    update('training', 10, 40);
    update('training', 11, 40);
    expect(written(log)).toBe('training\ntraining: 10 of 40, about 30 s left\n');
  });

  it('takes the pace from what was done since the stage was taken up again', () => {
    const log = new PassThrough();
    const { update } = new Progress(log);
    update('rows', 30, 40);
    vi.advanceTimersByTime(11_000);
    update('rows', 31, 40);
    expect(written(log)).toBe('rows\nrows: 31 of 40, about 99 s left\n');
  });

  it('believes whoever knows the time left, and says what is under way before anything is done', () => {
    const log = new PassThrough();
    const { update } = new Progress(log);
    update('rows', 0, 4);
    vi.advanceTimersByTime(10_000);
    update('rows', 0, 4, { note: 'row F' });
    vi.advanceTimersByTime(10_000);
    update('rows', 2, 4, { secondsLeft: 600, note: 'row F, epoch 3' });
    expect(written(log)).toBe('rows\nrows: 0 of 4, row F\nrows: 2 of 4, about 10 min left, row F, epoch 3\n');
  });
});
