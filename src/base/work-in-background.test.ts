import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const FILE = new URL('work-in-background.ts', import.meta.url).href;
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const { readlinkSync } = require('node:fs');
const { getPriority } = require('node:os');
import('${FILE}').then(({ workInBackground }) => {
  const own = () => getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
  const before = own();
  workInBackground();
  parentPort.postMessage([before, own()]);
});`;

it.skipIf(process.platform !== 'linux')('a thread in the background goes last, and no other thread does', async () => {
  const main = getPriority(process.pid);
  const worker = new Worker(PROGRAM, { eval: true });
  const [[before, after]] = await once(worker, 'message');
  await worker.terminate();
  expect(after).toBe(Math.min(19, before + 5));
  expect(getPriority(process.pid)).toBe(main);
});
