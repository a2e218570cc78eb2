// [coordinator] Writes PGlite's files with fsync, so that a commit also survives a power cut.
import { fsyncSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type ModuleOptions = Parameters<NodeFS['init']>[1];

/** The part of Emscripten's file system that is extended. */
interface FileSystemModule {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } };
}

/**
 * PGlite switches fsync off (-F), and Emscripten's Node file system would ignore it. It ignores fdatasync altogether,
 * hence the sync method.
 */
export const SYNCED_START_PARAMS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
];

export class SyncedNodeFS extends NodeFS {
  /** How often a file was flushed. */
  syncs = 0;

  override async init(pg: PGlite, options: ModuleOptions): ReturnType<NodeFS['init']> {
    const patch = (module: unknown) => {
      (module as FileSystemModule).NODEFS.stream_ops.fsync = ({ nfd }) => {
        this.syncs++;
        fsyncSync(nfd);
        return 0;
      };
    };
    const before = options.preRun ?? [];
    return super.init(pg, { ...options, preRun: [...(Array.isArray(before) ? before : [before]), patch] });
  }
}

/** Flushes the content of a file or the entries of a folder. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes everything below `dir`, all at once: that takes a fraction of the time of one after the other. */
export async function syncTree(dir: string): Promise<void> {
  const entries = await readdir(dir, { recursive: true });
  await Promise.all([dir, ...entries.map((entry) => join(dir, entry))].map(syncPath));
}
