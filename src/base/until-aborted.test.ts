import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

describe('waiting until work ends or a signal is aborted', () => {
  it('gives the result, and stops listening to the signal', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
    expect(await untilAborted(Promise.resolve(8), undefined)).toBe(8);
    await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the reason of the signal, also of one that was aborted before', async () => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const waiting = untilAborted(promise, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(untilAborted(promise, controller.signal)).rejects.toThrow('enough');
    // Work that fails after nobody waits any more is no unhandled rejection, which would fail this run.
    reject(new Error('stopped'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
