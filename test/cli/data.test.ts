// `f3 data` from the command line: import, look, refuse, stop.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { MAIN, runF3 } from './run-f3.ts';

function writeSpeeds(dir: string, hours: number, from = 0): string {
  const times = Array.from({ length: hours * 12 }, (_, i) => new Date(Date.UTC(2012, 2, 1) + (from + i) * 300_000));
  const lines = times.map((time, i) => `${time.toISOString().slice(0, 16)},${60 - (i % 12)},${i % 7}`);
  writeFileSync(join(dir, 'speeds.csv'), ['time,east,west', ...lines].join('\n'));
  return join(dir, 'speeds.csv');
}

test('import traffic, then info', () => {
  const dir = temporaryDirectory();
  const out = join(dir, 'out');
  const imported = runF3('data', 'import', 'traffic', writeSpeeds(dir, 24), '--out', out);
  expect(imported.status).toBe(0);
  expect(imported.stdout.split('\n')).toEqual([
    `${out}: 2 owners, 24 samples (18 + 6 by class)`,
    'Next:',
    `  f3 owner train ${out} --all`,
    `  f3 owner embed ${out} --all --out ${out}-bundles`,
    '',
  ]);
  expect(imported.stderr).toBe('reading speeds.csv\nwriting owners\n');

  const json = runF3('data', 'info', out, '--json');
  const { split, zeros, ...info } = JSON.parse(json.stdout);
  expect(info).toEqual({
    name: 'speeds',
    owners: 2,
    samples: 24,
    classes: [18, 6],
    classNames: ['calm', 'rush'],
    missing: 0,
    graph: false,
    simulated: false,
  });
  expect(split).toEqual({ train: 16, validation: 2, test: 6 });
  expect(zeros).toBeCloseTo(42 / 576, 12);

  const text = runF3('data', 'info', out).stdout;
  expect(text).toContain('classes   calm 18 (75.0 %), rush 6 (25.0 %)');
  expect(text).toMatch(/east +24 +0\.0 % +12 +12\/h +speed +54\.50 +█▇▇▆▅▅▄▄▃▂▂▁/);
});

test('import table: the options of the help, results as JSON', () => {
  const dir = temporaryDirectory();
  const rows = Array.from({ length: 80 }, (_, t) => `x,${t},${t},${t < 40 ? 'off' : 'on'}`);
  writeFileSync(join(dir, 'table.csv'), ['bus,t,v,event', ...rows].join('\n'));
  const columns = ['--owner-column', 'bus', '--time-column', 't', '--value-columns', 'v', '--label', 'event'];
  const out = join(dir, 'out');
  const { status, stdout } = runF3(
    'data',
    'import',
    'table',
    join(dir, 'table.csv'),
    '--out',
    out,
    ...columns,
    '--window',
    '4',
    '--json',
  );
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ out, owners: 1, samples: 20, classes: [10, 10], dropped: 0 });
});

test('simulate planted is the same for the same seed', () => {
  const dir = temporaryDirectory();
  const simulate = (name: string, seed: string) => {
    const size = ['--owners', '25', '--samples', '30', '--width', '2'];
    expect(runF3('data', 'simulate', 'planted', ...size, '--seed', seed, '--out', join(dir, name)).status).toBe(0);
    const { perOwner } = JSON.parse(runF3('data', 'info', join(dir, name), '--json', '--all').stdout);
    return perOwner.map((owner: { meanSignal: number[] }) => owner.meanSignal);
  };
  const first = simulate('a', '3');
  expect(simulate('b', '3')).toEqual(first);
  expect(simulate('c', '4')).not.toEqual(first);
  expect(runF3('data', 'info', join(dir, 'a')).stdout).toContain('… 5 more owners (--all shows them)');
  expect(runF3('data', 'info', join(dir, 'a'), '--all').stdout).toContain('owner-24');
});

test("a user's mistake is one line, exit code 2, no stack trace and nothing written", () => {
  const dir = temporaryDirectory();
  const missing = runF3('data', 'import', 'traffic', join(dir, 'no.h5'), '--out', join(dir, 'out'));
  expect(missing.status).toBe(2);
  expect(missing.stdout).toBe('');
  expect(missing.stderr).toBe(
    `reading no.h5\nf3: ${join(dir, 'no.h5')}: must be readable, got no such file [F3_DATA_UNREADABLE]\n`,
  );
  expect(readdirSync(dir)).toEqual([]);
});

test('an existing output directory needs --force', () => {
  const dir = temporaryDirectory();
  const args = ['data', 'import', 'traffic', writeSpeeds(dir, 24), '--out', join(dir, 'out')];
  expect(runF3(...args).status).toBe(0);
  const again = runF3(...args);
  expect(again.status).toBe(2);
  expect(again.stderr).toContain('must not exist yet; --force replaces it [F3_DATA_EXISTS]');
  expect(runF3(...args, '--force').status).toBe(0);
});

test.each([
  [
    ['data', 'import', 'traffic', 'x.h5'],
    "required option '--out <dir>' not specified",
    'f3 data import traffic --help',
  ],
  [
    ['data', 'import', 'traffic', 'x.h5', '--out', 'y', '--gaps', 'maybe'],
    'Allowed choices are error, drop.',
    'f3 data import traffic --help',
  ],
  [
    ['data', 'simulate', 'planted', '--out', 'y', '--owners', 'many'],
    'It must be a whole number from 2 to 10000.',
    'f3 data simulate planted --help',
  ],
  [['data', 'improt'], "unknown command 'improt'", 'f3 data --help'],
])('bad usage %j says what is wrong and where to read on', (args, message, help) => {
  const { status, stderr } = runF3(...args);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain(`Try: ${help}`);
});

test.each([['import traffic'], ['import table'], ['simulate planted'], ['info']])(
  'f3 data %s --help teaches with examples',
  (command) => {
    const { status, stdout } = runF3('data', ...command.split(' '), '--help');
    expect(status).toBe(0);
    expect(stdout).toContain(`Examples:\n  f3 data ${command}`);
  },
);

test('Ctrl-C ends with 130 and leaves nothing behind', async () => {
  const dir = temporaryDirectory();
  const size = ['--owners', '2000', '--samples', '100', '--width', '2'];
  const child = spawn(process.execPath, [MAIN, 'data', 'simulate', 'planted', ...size, '--out', join(dir, 'out')]);
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    const isNews = !said.includes('writing owners\n');
    said += text;
    if (isNews && said.includes('writing owners\n')) child.kill('SIGINT');
  }
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  expect(code).toBe(130);
  expect(said).toContain('interrupted');
  expect(readdirSync(dir)).toEqual([]);
});
