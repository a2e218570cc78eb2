import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import fc from '../../test/support/seeded-fast-check.ts';
import { Batches } from './batches.ts';

describe('batches', () => {
  it('gather what is asked in one moment', async () => {
    const sizes: number[] = [];
    const run = async (items: number[]) => {
      sizes.push(items.length);
      return items.map((item) => item * item);
    };
    const batches = new Batches(run, { maxItems: 4, maxUnderWay: 1 });
    const asked = Array.from({ length: 10 }, (_, i) => batches.add(i));
    expect(await Promise.all(asked)).toEqual([0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
    expect(sizes).toEqual([4, 4, 2]);
  });

  it('fail as a whole, and others after them do not', async () => {
    const run = async (items: number[]) => {
      if (items.includes(13)) throw new Error('unlucky');
      return items;
    };
    const batches = new Batches(run, { maxItems: 2, maxUnderWay: 1 });
    const ends = await Promise.allSettled([12, 13, 14, 15].map((item) => batches.add(item)));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  });

  it('answer everybody whatever the times, and no more are under way than allowed', async () => {
    const times = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(times, fc.integer({ min: 1, max: 3 }), async (plan, allowed) => {
        let [now, most] = [0, 0];
        const run = async (items: (readonly [number, number])[]) => {
          most = Math.max(most, ++now);
          await wait(items[0][1]);
          now--;
          return items.map(([id]) => id);
        };
        const batches = new Batches(run, { maxItems: 3, maxUnderWay: allowed });
        const ask = async (before: number, id: number, work: number) => {
          await wait(before);
          return batches.add([id, work]);
        };
        const answers = await Promise.all(plan.map(([before, work], id) => ask(before, id, work)));
        expect(answers).toEqual(plan.map((_, id) => id));
        expect(most).toBeLessThanOrEqual(allowed);
      }),
      { numRuns: 30 },
    );
  });
});
