import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PacedReports } from './paced-reports.ts';

describe('paced reports', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const paced = () => {
    const passed: number[] = [];
    const reports = new PacedReports<number>((report) => passed.push(report), {
      intervalMs: 250,
      now: () => Date.now(),
    });
    return { passed, reports };
  };

  it('pass the first on at once, then the newest of each pause', () => {
    const { passed, reports } = paced();
    for (let epoch = 1; epoch <= 1000; epoch++) {
      reports.add(epoch);
      vi.advanceTimersByTime(1);
    }
    expect(passed).toEqual([1, 250, 500, 750, 1000]);
  });

  it('never lose the last, whether somebody ends or nothing more comes', () => {
    const { passed, reports } = paced();
    for (const epoch of [1, 2, 3]) reports.add(epoch);
    expect(passed).toEqual([1]);
    vi.advanceTimersByTime(250);
    expect(passed).toEqual([1, 3]);
    reports.add(4);
    reports.flush();
    expect(passed).toEqual([1, 3, 4]);
    vi.advanceTimersByTime(10_000);
    expect(passed).toEqual([1, 3, 4]);
  });
});
