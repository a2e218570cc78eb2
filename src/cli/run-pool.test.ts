import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runPool } from './run-pool.ts';

describe('a pool', () => {
  it('gives results in order and never does more at once than it may', async () => {
    let [now, most] = [0, 0];
    const results = await runPool([5, 1, 3, 2], 2, async (turns) => {
      most = Math.max(most, ++now);
      for (let i = 0; i < turns; i++) await turn();
      now--;
      return turns * 10;
    });
    expect(results).toEqual([50, 10, 30, 20]);
    expect(most).toBe(2);
  });

  it('begins nothing after a failure, and tells it', async () => {
    const begun: number[] = [];
    const pool = runPool([1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      await turn();
      if (item === 2) throw new Error('two');
      await turn();
    });
    await expect(pool).rejects.toThrow('two');
    await turn();
    await turn();
    expect(begun).toEqual([1, 2]);
  });

  it('is done at once without items', async () => {
    expect(await runPool([], 3, async () => 1)).toEqual([]);
  });
});
