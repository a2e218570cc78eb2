import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedReads } from './shared-reads.ts';

it('attack: hundreds who listen read one after the other, and those who want the same read once', async () => {
  const reads = new SharedReads();
  let [underWay, most, found] = [0, 0, 0];
  const find = async () => {
    most = Math.max(most, ++underWay);
    await sleep(1);
    underWay--;
    return ++found;
  };
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => reads.read(`training ${i % 10}`, find)));
  expect([most, found]).toEqual([1, 10]);
  expect(answers.slice(0, 10)).toEqual(answers.slice(190));
  expect(await reads.read('training 1', find)).toBe(11);
});

it('keep an answer for a while if they may, and a failure never', async () => {
  const reads = new SharedReads();
  const fail = async () => {
    throw new Error('away');
  };
  await expect(reads.read('training', fail, 60_000)).rejects.toThrow('away');
  expect(await reads.read('training', async () => 1, 50)).toBe(1);
  expect(await reads.read('training', async () => 2, 50)).toBe(1);
  await sleep(80);
  expect(await reads.read('training', async () => 3, 50)).toBe(3);
});
