import { afterEach, expect, it } from 'vitest';
import type { UnrulyQuestion } from '../../test/support/unruly-worker.ts';
import { F3Error } from '../errors.ts';
import { ReplacedThread } from './replaced-thread.ts';

const UNRULY_WORKER = new URL('../../test/support/unruly-worker', import.meta.url);
let thread: ReplacedThread<UnrulyQuestion, number>;
const open = (stallMs: number) => {
  thread = new ReplacedThread(UNRULY_WORKER, { name: 'unruly', heapMb: 100, stallMs });
};
const refusal = (cause: unknown) => new F3Error('F3_REQUEST', 'request: must end', { cause });
afterEach(() => thread?.close());

it.each(['sleep', 'crash', 'leave'] as const)(
  'work that makes a thread %s is refused, and the next is done',
  async (end) => {
    open(2000);
    await expect(thread.begin(refusal)(end)).rejects.toMatchObject({ code: 'F3_REQUEST' });
    expect(await thread.begin(refusal)(4)).toBe(8);
  },
);

it('questions of one piece of work never go to another thread than the first', async () => {
  open(60_000);
  const ask = thread.begin(refusal);
  expect(await ask(1)).toBe(2);
  await expect(thread.begin(refusal)('leave')).rejects.toMatchObject({ code: 'F3_REQUEST' });
  expect(await thread.begin(refusal)(2)).toBe(4); // by the second thread
  await expect(ask(3)).rejects.toMatchObject({ code: 'F3_REQUEST' });
});

it('an error of the work itself is passed on, and the thread goes on', async () => {
  open(60_000);
  const ask = thread.begin(refusal);
  await expect(ask('refuse')).rejects.toMatchObject({ code: 'F3_MODEL_FORMAT' });
  await expect(ask('fail')).rejects.toThrow('out of luck');
  expect(await ask(5)).toBe(10);
});
