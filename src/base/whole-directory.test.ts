import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { type DirectoryTarget, WholeDirectory, writeWholeDirectory } from './whole-directory.ts';

const TARGET: DirectoryTarget = {
  content: 'a nest',
  mark: 'nest.json',
  overwrite: true,
  exists: 'F3_MODEL_EXISTS',
  unwritable: 'F3_OUTPUT',
};
const NEW = { 'nest.json': 'new', 'egg.txt': 'white' };

let root: string;
let dir: string;
beforeEach(() => {
  root = temporaryDirectory();
  dir = join(root, 'out');
});

function expectRefusal(write: () => void, code: string, message: string): void {
  expect(write).toThrow(expect.objectContaining({ code, message: `output ${dir}: ${message}` }));
}

describe('a directory written whole', () => {
  it('is not there before it is finished, and nothing else is there after it', () => {
    const directory = new WholeDirectory(dir, TARGET);
    mkdirSync(directory.path('deep', 'er'), { recursive: true });
    writeFileSync(directory.path('deep', 'er', 'nest.json'), '');
    expect(existsSync(dir)).toBe(false);
    directory.finish();
    expect(readdirSync(root)).toEqual(['out']);
    expect(readdirSync(dir, { recursive: true })).toContain(join('deep', 'er', 'nest.json'));
  });

  it('leaves nothing when it is discarded, and no listener', () => {
    const before = process.listenerCount('exit');
    const directory = new WholeDirectory(dir, TARGET);
    expect(process.listenerCount('exit')).toBe(before + 1);
    directory.discard();
    expect(readdirSync(root)).toEqual([]);
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('replaces one of its kind or an empty directory, if it may', () => {
    mkdirSync(dir);
    writeWholeDirectory(dir, { 'nest.json': 'old', 'twig.txt': '' }, TARGET);
    expectRefusal(
      () => writeWholeDirectory(dir, NEW, { ...TARGET, overwrite: false }),
      'F3_MODEL_EXISTS',
      'must not exist yet',
    );
    expect(readFileSync(join(dir, 'nest.json'), 'utf8')).toBe('old');
    writeWholeDirectory(dir, NEW, TARGET);
    expect(readdirSync(dir).sort()).toEqual(['egg.txt', 'nest.json']);
    expect(readdirSync(root)).toEqual(['out']);
  });

  it.each([
    ['a file', () => writeFileSync(dir, 'thesis'), 'got a file'],
    [
      'another directory',
      () => {
        mkdirSync(dir);
        writeFileSync(join(dir, 'thesis.tex'), '');
      },
      'got a directory without nest.json',
    ],
  ])('never replaces %s', (_, prepare, found) => {
    prepare();
    const rule = 'only a nest or an empty directory is replaced';
    expectRefusal(() => writeWholeDirectory(dir, NEW, TARGET), 'F3_MODEL_EXISTS', `${rule}, ${found}`);
    expect(readdirSync(root)).toEqual(['out']);
  });

  it('does not replace what came while it was filled', () => {
    const directory = new WholeDirectory(dir, { ...TARGET, overwrite: false });
    mkdirSync(dir);
    writeFileSync(join(dir, 'nest.json'), 'quicker');
    expectRefusal(() => directory.finish(), 'F3_MODEL_EXISTS', 'must not exist yet');
    expect(readdirSync(root)).toEqual(['out']);
    expect(readFileSync(join(dir, 'nest.json'), 'utf8')).toBe('quicker');
  });

  it('keeps the old one when the new one cannot be put in its place', () => {
    writeWholeDirectory(dir, { 'nest.json': 'old' }, TARGET);
    const directory = new WholeDirectory(dir, TARGET);
    directory.discard();
    expectRefusal(() => directory.finish(), 'F3_OUTPUT', 'must be writable, got no such directory');
    expect(readFileSync(join(dir, 'nest.json'), 'utf8')).toBe('old');
    expect(readdirSync(root)).toEqual(['out']);
  });

  it('says why it cannot be written', () => {
    writeFileSync(join(root, 'file'), '');
    dir = join(root, 'file', 'out');
    expectRefusal(() => writeWholeDirectory(dir, NEW, TARGET), 'F3_OUTPUT', 'must be writable, got a file in its way');
  });
});
