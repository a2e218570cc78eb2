import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const refusal = () => new Error('too many');

/** Work that can be ended, and that notes when it began. */
function workOf(begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = (name: string) => async () => {
    begun.push(name);
    await promise;
    await sleep(2); // so that somebody who was served has had some time
  };
  return { work, end: resolve };
}

it('attack: who queues a hundred times does not hold up another, who is next', async () => {
  const queue = new FairQueue({ mostWaiting: 200, refusal });
  const begun: string[] = [];
  const { work, end } = workOf(begun);
  const greedy = Array.from({ length: 100 }, () => queue.run('greedy', work('greedy')));
  const modest = queue.run('modest', work('modest'));
  end();
  await modest;
  expect(begun).toEqual(['greedy', 'modest']);
  await Promise.all(greedy);
  expect(begun).toHaveLength(101);
});

it('attack: who takes all places leaves some to others, and one who finds none is refused', async () => {
  const queue = new FairQueue({ mostWaiting: 5, mostPerAsker: 3, refusal });
  const { work, end } = workOf([]);
  const first = queue.run('greedy', work('greedy'));
  const waiting = Array.from({ length: 3 }, () => queue.run('greedy', work('greedy')));
  await expect(queue.run('greedy', work('greedy'))).rejects.toThrow('too many');
  const others = ['a', 'b'].map((name) => queue.run(name, work(name)));
  await expect(queue.run('c', work('c'))).rejects.toThrow('too many');
  end();
  await Promise.all([first, ...waiting, ...others]);
});

it('goes on after work that failed', async () => {
  const queue = new FairQueue({ mostWaiting: 5, refusal });
  const failed = queue.run('a', () => Promise.reject(new Error('broken')));
  const next = queue.run('a', async () => 7);
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe(7);
});
