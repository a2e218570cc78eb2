// `f3 bundle` from the command line, in its own process: make, look, refuse.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bundle, bundleHash, decodeBundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writeFloatNpy, writeNpy } from '../support/write-npy.ts';
import { runF3 } from './run-f3.ts';

const CREATED = '2026-05-01T12:00:00Z';
const VALUES = [1, 2, 3, 4, 5, 6.5];
const expected: Bundle = {
  owner: 'plant-7',
  samples: ['a', 'b', 'c'],
  sampleType: 'text',
  width: 2,
  embeddings: Float32Array.from(VALUES),
  created: CREATED,
};

/** A new directory with `files` in it. */
function directoryOf(files: Record<string, string | Uint8Array>): { dir: string; path: (name: string) => string } {
  const dir = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return { dir, path: (name) => join(dir, name) };
}

describe('from-npy', () => {
  const files = {
    'e.npy': writeFloatNpy(VALUES, 2),
    'ids.csv': 'a\nb\nc\n',
    'ids.npy': writeNpy({ descr: '<i8', shape: [3], data: BigInt64Array.of(3n, 4n, 5n) }),
    'p.npy': writeFloatNpy([0.5, 0.5, 1, 0, 0, 1], 2),
    'nan.npy': writeFloatNpy([1, 2, 3, Number.NaN, 5, 6], 2),
  };

  test('writes a bundle and prints its hash', () => {
    const { path } = directoryOf(files);
    const out = path('out.arrow');
    const inputs = [path('e.npy'), '--ids', path('ids.csv'), '--probabilities', path('p.npy')];
    const options = ['--owner', 'plant-7', '--model', 'm1', '--created', CREATED, '--out', out];
    const { status, stdout, stderr } = runF3('bundle', 'from-npy', ...inputs, ...options);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const hash = bundleHash(readFileSync(out));
    expect(stdout).toBe(`${out}: owner plant-7, 3 samples, width 2, probabilities of 2 classes\nsha256 ${hash}\n`);
    const votes = { classes: 2, probabilities: Float32Array.of(0.5, 0.5, 1, 0, 0, 1) };
    expect(decodeBundle(readFileSync(out), out)).toEqual({ ...expected, ...votes, model: 'm1' });
  });

  test('warns on stderr, prints JSON, and replaces a file only when told', () => {
    const { path } = directoryOf(files);
    const out = path('out.arrow');
    const args = ['bundle', 'from-npy', path('e.npy'), '--ids', path('ids.npy'), '--owner', 'plant-7', '--out', out];
    const { stdout, stderr } = runF3(...args, '--json');
    expect(stderr).toContain('warning: bundle plant-7: sample ids are integers');
    const facts = { out, owner: 'plant-7', samples: 3, width: 2, classes: null, sampleType: 'integer' };
    expect(JSON.parse(stdout)).toMatchObject(facts);
    const again = runF3(...args);
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('[F3_BUNDLE_EXISTS]') });
    expect(runF3(...args, '--force').status).toBe(0);
  });

  test('refuses in one line and leaves nothing behind', () => {
    const { dir, path } = directoryOf(files);
    const args = [
      'from-npy',
      path('nan.npy'),
      '--ids',
      path('ids.csv'),
      '--owner',
      'plant-7',
      '--out',
      path('out.arrow'),
    ];
    const message =
      'f3: bundle plant-7: embedding must be finite, got NaN (row 2, sample b, column 1) [F3_BUNDLE_NOT_FINITE]\n';
    expect(runF3('bundle', ...args)).toEqual({ status: 2, stdout: '', stderr: message });
    expect(readdirSync(dir).sort()).toEqual(Object.keys(files).sort());
  });

  test('refuses a time without zone', () => {
    const { status, stderr } = runF3('bundle', 'from-npy', 'e.npy', '--created', '2026-05-01');
    expect(status).toBe(2);
    expect(stderr).toContain('It must be an ISO 8601 time with its zone, such as 2026-05-01T12:00:00Z.');
  });
});

test('from-csv: the options of the help', () => {
  const { path } = directoryOf({ 'e.csv': 'hour,e0,e1,calm,rush\na,1,2,.5,.5\nb,3,4,1,0\nc,5,6.5,0,1\n' });
  const columns = ['--id-column', 'hour', '--columns', 'e0,e1', '--probability-columns', 'calm,rush'];
  const options = ['--owner', 'plant-7', '--created', CREATED, '--out', path('out.arrow')];
  const { status, stderr } = runF3('bundle', 'from-csv', path('e.csv'), ...columns, ...options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const votes = { classes: 2, probabilities: Float32Array.of(0.5, 0.5, 1, 0, 0, 1) };
  expect(decodeBundle(readFileSync(path('out.arrow')), 'out')).toEqual({ ...expected, ...votes });
});

describe('check', () => {
  test('prints what a sound bundle holds', () => {
    const { dir, path } = directoryOf({ 'a.arrow': encodeBundle({ ...expected, model: 'm1' }) });
    const { status, stdout, stderr } = runF3('bundle', 'check', path('a.arrow'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.replace(dir, '…')).toBe(`…/a.arrow
  owner    plant-7
  samples  3, ids are text: a … c
  width    2
  votes    withheld
  model    m1
  created  ${CREATED}
  privacy  nothing
  sha256   ${bundleHash(readFileSync(path('a.arrow')))}
  column        min       mean        max
       0          1          3          5
       1          2      4.167        6.5

`);
  });

  test('exits with 2 and goes on after a broken file', () => {
    const bad = encodeBundle({ ...expected, owner: 'plant-8', embeddings: Float32Array.of(1, 2, 1, Number.NaN, 1, 6) });
    const { path } = directoryOf({
      'cut.arrow': bad.subarray(0, 100),
      'bad.arrow': bad,
      'good.arrow': encodeBundle(expected),
    });
    const files = ['cut.arrow', 'bad.arrow', 'good.arrow', 'none.arrow'].map(path);
    const { status, stdout, stderr } = runF3('bundle', 'check', ...files);
    expect(status).toBe(2);
    expect(stderr).toBe('f3: bundles must be free of errors, got 3 of 4 with errors [F3_BUNDLE_UNSOUND]\n');
    expect(stdout).toContain('got 100 bytes that stop before it [F3_BUNDLE_FORMAT]');
    expect(stdout).toContain(
      'error: bundle plant-8: embedding must be finite, got NaN (row 2, sample b, column 1) [F3_BUNDLE_NOT_FINITE]',
    );
    expect(stdout).toContain('warning: bundle plant-8: embedding never changes in 1 of 2 columns: 0 [constant-column]');
    expect(stdout).toContain('owner    plant-7');
    expect(stdout).toContain('none.arrow: must be readable, got no such file [F3_BUNDLE_UNREADABLE]');
  });

  test('--json has one entry per file, and what only shows side by side', () => {
    const integers = encodeBundle({ ...expected, owner: 'plant-8', samples: ['1', '2', '3'], sampleType: 'integer' });
    const { path } = directoryOf({ 'a.arrow': encodeBundle(expected), 'b.arrow': integers });
    const { status, stdout, stderr } = runF3('bundle', 'check', path('a.arrow'), path('b.arrow'), '--json');
    expect(status).toBe(2);
    expect(stderr).toContain('got bundles that do not fit together');
    const { bundles, together } = JSON.parse(stdout);
    expect(bundles[0]).toEqual({
      file: path('a.arrow'),
      hash: bundleHash(encodeBundle(expected)),
      owner: 'plant-7',
      samples: 3,
      sampleType: 'text',
      width: 2,
      created: CREATED,
      columns: [
        { min: 1, mean: 3, max: 5 },
        { min: 2, mean: expect.closeTo(12.5 / 3), max: 6.5 },
      ],
      findings: [],
    });
    expect(together[0]).toMatchObject({ level: 'error', code: 'F3_BUNDLE_ID_TYPE' });
  });

  test('shows 16 columns of a wide bundle, and all when asked', () => {
    const wide = { ...expected, width: 20, embeddings: Float32Array.from({ length: 60 }, (_, i) => i) };
    const { path } = directoryOf({ 'a.arrow': encodeBundle(wide) });
    expect(runF3('bundle', 'check', path('a.arrow')).stdout).toContain('  … 4 more (--all shows them)\n');
    expect(runF3('bundle', 'check', path('a.arrow'), '--all').stdout).toContain('\n      19 ');
  });
});
