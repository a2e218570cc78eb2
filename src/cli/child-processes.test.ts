import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { ChildProcesses } from './child-processes.ts';

/** Says that it is ready and ends when it is told to. What it leaves holds its output open for a while, so that its pipes close after its end. */
const LINGERING = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', 'setTimeout(() => {}, Number(process.argv[1]))', process.argv[2]], { stdio: 'inherit' }).unref();
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 1000);
  console.log('ready');
`;
const program = process.argv[1];
beforeEach(() => {
  process.argv[1] = join(temporaryDirectory(), 'program.cjs');
  writeFileSync(process.argv[1], LINGERING);
});
afterEach(() => {
  process.argv[1] = program;
});

it('takes no end that it asked for as a failure, even if the output closes when others may be started again', async () => {
  const processes = new ChildProcesses();
  const lasting = 1500;
  const { line, failed } = await processes.start('lingering', [String(lasting)]);
  expect(line).toBe('ready');
  await processes.pause();
  expect(await Promise.race([failed, setTimeout(2 * lasting, 'fine')])).toBe('fine');
  await processes.end();
});
