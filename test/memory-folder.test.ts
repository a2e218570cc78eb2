// Tests write into memory where there is room: the folder goes with the process, at the latest when the next one makes its own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { makeMemoryFolder } from './support/memory-folder.ts';
import { unless } from './support/unless.ts';

const MODULE = new URL('support/memory-folder.ts', import.meta.url).href;
/** Makes a folder, says which, and then does something. */
const program = (then: string) => [
  '--input-type=module',
  '-e',
  `
  import { writeFileSync } from 'node:fs';
  import { makeMemoryFolder } from '${MODULE}';
  const folder = makeMemoryFolder() ?? '';
  if (folder) writeFileSync(folder + '/file', 'text');
  console.log(folder);
  ${then}`,
];

const made = spawnSync(process.execPath, program(''), { encoding: 'utf8' }).stdout.trim();
const missing = made === '' ? 'there is no room for files in memory' : '';

test('the folder goes with the process that made it', unless(missing), () => {
  expect(made).toMatch(/f3-tests-\d+-\d+$/);
  expect(existsSync(made)).toBe(false);
});

test(
  'the folder of a process that was killed is removed by the next one, that of a living one is not',
  unless(missing),
  async () => {
    const [killed, living] = await Promise.all([1, 2].map(startWaiting));
    expect(existsSync(killed.folder)).toBe(true);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    const { stdout } = spawnSync(process.execPath, program(''), { encoding: 'utf8' });
    expect(stdout.trim()).not.toBe('');
    expect([killed, living].map(({ folder }) => existsSync(folder))).toEqual([false, true]);
  },
);

test('there is none without room, and none in a place that is not in memory', () => {
  expect(makeMemoryFolder(undefined, 1e6)).toBeUndefined();
  expect(makeMemoryFolder('/proc')).toBeUndefined();
  expect(makeMemoryFolder('/nowhere')).toBeUndefined();
});

async function startWaiting() {
  const child = spawn(
    process.execPath,
    program("process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1000);"),
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill());
  const [text] = await once(child.stdout, 'data');
  return { child, folder: String(text).trim() };
}
