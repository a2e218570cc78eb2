// A full or read-only disk: readiness says so, uploads are refused with a code, and a start explains itself.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { isFullDisk } from '../storage/database/full-disk.ts';
import { requireWritableFolder } from '../storage/database/writable-folder.ts';
import { DiskWatch } from './disk-watch.ts';
import { startServer } from './start-server.ts';

const failing = (code: string) => () => {
  throw Object.assign(new Error(`${code}: no`), { code });
};

describe('a disk', () => {
  it.each([
    ['ENOSPC', 'a full disk'],
    ['EROFS', 'a read-only file system'],
    ['EDQUOT', 'quota'],
    ['EACCES', 'may not write'],
  ])('that answers %s is not ready, and a start on it says what to do', async (code, words) => {
    const dir = temporaryDirectory();
    const watch = new DiskWatch({ dir, reserve: 1, probe: failing(code) });
    expect(await watch.trouble()).toContain(words);
    expect(() => requireWritableFolder(dir, failing(code))).toThrow(
      expect.objectContaining({ code: 'F3_STORAGE_DIRECTORY', message: expect.stringContaining(words) }),
    );
  });

  it('that is nearly full refuses uploads before the database fails, and is not ready below its reserve', async () => {
    const dir = temporaryDirectory();
    const watch = new DiskWatch({ dir, reserve: 1000, freeBytes: async () => 1500 });
    await watch.requireRoom(500);
    await expect(watch.requireRoom(501)).rejects.toMatchObject({ code: 'F3_DISK_FULL' });
    expect(await watch.trouble()).toBeUndefined();
    const full = new DiskWatch({ dir, reserve: 1000, freeBytes: async () => 999 });
    expect(await full.trouble()).toContain('got 999');
  });

  it('with room is ready, and the probe leaves nothing behind', async () => {
    const dir = temporaryDirectory();
    expect(await new DiskWatch({ dir, reserve: 1 }).trouble()).toBeUndefined();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('that is really full is told from one that is not', async ({ skip }) => {
    const dir = join(temporaryDirectory(), 'small');
    mkdirSync(dir);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', dir], { stdio: 'ignore' });
    } catch {
      return skip('this machine lets no test mount a disk of its own');
    }
    try {
      requireWritableFolder(dir);
      expect(() => writeFileSync(join(dir, 'fill'), new Uint8Array(2 ** 20))).toThrow('ENOSPC');
      expect(() => requireWritableFolder(dir)).toThrow('a full disk');
      expect(await new DiskWatch({ dir, reserve: 1 }).trouble()).toContain('a full disk');
    } finally {
      execFileSync('umount', [dir]);
    }
  });

  it('that is read-only is named, too, where the data folder has yet to be made on it', async ({ skip }) => {
    const dir = join(temporaryDirectory(), 'small');
    mkdirSync(dir);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', dir], { stdio: 'ignore' });
    } catch {
      return skip('this machine lets no test mount a disk of its own');
    }
    try {
      await expect(startServer({ data: join(dir, 'a', 'b'), port: 0 })).rejects.toMatchObject({
        code: 'F3_STORAGE_DIRECTORY',
        message: expect.stringContaining('a read-only file system'),
      });
    } finally {
      execFileSync('umount', [dir]);
    }
  });

  it('that has room for a probe and none for a database is named by a start, which succeeds when there is room', async ({
    skip,
  }) => {
    const dir = join(temporaryDirectory(), 'small');
    mkdirSync(dir);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', dir], { stdio: 'ignore' });
    } catch {
      return skip('this machine lets no test mount a disk of its own');
    }
    try {
      const fill = join(dir, 'fill');
      writeFileSync(fill, new Uint8Array(96 * 2 ** 20));
      const data = join(dir, 'data');
      await expect(startServer({ data, port: 0 })).rejects.toMatchObject({
        code: 'F3_STORAGE_DIRECTORY',
        message: expect.stringContaining('a full disk; free some space'),
      });
      rmSync(fill);
      const server = await startServer({ data, port: 0, work: false });
      await server.close();
    } finally {
      execFileSync('umount', [dir]);
    }
  });

  it('is recognised as full in the words of the system and of PostgreSQL', () => {
    expect(isFullDisk(Object.assign(new Error('x'), { code: '53100' }))).toBe(true);
    expect(isFullDisk(new Error('could not extend file "base/5": No space left on device'))).toBe(true);
    expect(isFullDisk(new Error('outer', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) }))).toBe(true);
    expect(isFullDisk(new Error('anything else'))).toBe(false);
  });
});
