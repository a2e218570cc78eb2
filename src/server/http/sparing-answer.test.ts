import { expect, it } from 'vitest';
import { SparingAnswer } from './sparing-answer.ts';

/** An answer that counts how often it is made, and takes as long as it is told. */
function counted(took: number) {
  const state = { now: 0, made: 0 };
  const make = async () => {
    state.made++;
    await Promise.resolve();
    state.now += took;
    return state.made;
  };
  return { state, answer: new SparingAnswer(make, () => state.now) };
}

it('is made once for a flood of questions of one moment', async () => {
  const { state, answer } = counted(2);
  expect(await Promise.all(Array.from({ length: 1000 }, () => answer.get()))).toEqual(new Array(1000).fill(1));
  expect(state.made).toBe(1);
});

it('takes a fifteenth of the time, however fast the questions come', async () => {
  const { state, answer } = counted(2);
  for (; state.now < 3000; state.now++) await answer.get();
  expect(state.made * 2).toBeLessThanOrEqual(state.now / 14);
  expect(state.made).toBeGreaterThan(50);
});

it('is made anew after a second, if it took long', async () => {
  const { state, answer } = counted(3000);
  expect(await answer.get()).toBe(1);
  state.now += 999;
  expect(await answer.get()).toBe(1);
  state.now++;
  expect(await answer.get()).toBe(2);
});

it('forgets a failure like an answer', async () => {
  let made = 0;
  let now = 0;
  const answer = new SparingAnswer(
    async () => {
      made++;
      now++;
      if (made === 1) throw new Error('away');
      return 'back';
    },
    () => now,
  );
  await expect(answer.get()).rejects.toThrow('away');
  await expect(answer.get()).rejects.toThrow('away');
  now += 15;
  expect(await answer.get()).toBe('back');
});
