import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import type { UnrulyQuestion } from '../../test/support/unruly-worker.ts';
import { WorkerThread } from './worker-thread.ts';

const UNRULY_WORKER = new URL('../../test/support/unruly-worker', import.meta.url);

describe('a worker thread', () => {
  let thread: WorkerThread<UnrulyQuestion, number, string>;
  const failures: string[] = [];
  const start = () => {
    failures.length = 0;
    thread = new WorkerThread(UNRULY_WORKER, { name: 'unruly', onFailure: ({ message }) => failures.push(message) });
  };
  afterEach(() => thread?.dispose());

  it('answers each question with its own answer', async () => {
    start();
    expect(await Promise.all([1, 2, 3].map((n) => thread.ask(n)))).toEqual([2, 4, 6]);
  });

  it('passes errors on, ours with their codes, and goes on', async () => {
    start();
    const refused = expect.objectContaining({ name: 'F3Error', code: 'F3_MODEL_FORMAT' });
    await expect(thread.ask('refuse')).rejects.toThrow(refused);
    await expect(thread.ask('fail')).rejects.toThrow('out of luck');
    expect(await thread.ask(4)).toBe(8);
    expect(failures).toEqual([]);
  });

  it('passes errors of the operating system on as such, which are no faults of the program', async () => {
    start();
    await expect(thread.ask('read')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
  });

  it('says where in the thread it failed', async () => {
    start();
    await expect(thread.ask('fail')).rejects.toMatchObject({ stack: expect.stringContaining('unruly-worker.ts') });
  });

  it('sends reports before the answer that follows them', async () => {
    const heard: unknown[] = [];
    thread = new WorkerThread(UNRULY_WORKER, { name: 'unruly', onReport: (report: string) => heard.push(report) });
    heard.push(await thread.ask('chatter'));
    expect(heard).toEqual(['first', 'second', 0]);
  });

  it.each([
    ['crash', 'nobody caught this'],
    ['leave', 'thread unruly: the worker has already ended; start a new one before asking it'],
  ] as const)('that ends by itself (%s) fails whoever waits or asks, and says so once', async (end, message) => {
    start();
    const waiting = [thread.ask('sleep'), thread.ask(end)];
    for (const { reason } of (await Promise.allSettled(waiting)) as PromiseRejectedResult[]) {
      expect(reason.message).toBe(message);
    }
    await expect(thread.ask(1)).rejects.toThrow(message);
    await thread.dispose();
    expect(failures).toEqual([message]);
  });

  it('that was disposed of fails whoever waits, and is no failure', async () => {
    start();
    const waiting = expect(thread.ask('sleep')).rejects.toThrow('the worker has already ended');
    await thread.dispose();
    await waiting;
    expect(failures).toEqual([]);
  });

  /** What a program prints that has a thread. */
  const run = (statements: string): string => {
    const file = new URL('./worker-thread.ts', import.meta.url).href;
    const program = `import { WorkerThread } from ${JSON.stringify(file)};
      const thread = new WorkerThread(new URL(${JSON.stringify(UNRULY_WORKER.href)}), { name: 'unruly' });
      ${statements}`;
    const options = { timeout: 240_000, encoding: 'utf8' } as const;
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], options);
  };

  it('keeps its process until it has answered, and no longer', () => {
    expect(run('console.log(await thread.ask(21));')).toBe('42\n');
  });

  it('keeps its process until it has ended, if it answers while it is being ended', () => {
    const statements = `await thread.ask(1);
      thread.ask(2).catch(() => undefined);
      for (const answered = Date.now() + 200; Date.now() < answered; );
      await thread.dispose();
      console.log('ended');`;
    expect(run(statements)).toBe('ended\n');
  });

  it('starts in a process whose memory was limited on its command line', () => {
    const file = new URL('./worker-thread.ts', import.meta.url).href;
    const program = `import(${JSON.stringify(file)}).then(async ({ WorkerThread }) => {
      const thread = new WorkerThread(new URL(${JSON.stringify(UNRULY_WORKER.href)}), { name: 'unruly' });
      console.log(await thread.ask(21));
    });`;
    const run = () => execFileSync(process.execPath, ['--max-old-space-size=300', '-e', program], { timeout: 60_000 });
    expect(run().toString()).toBe('42\n');
  });
});
