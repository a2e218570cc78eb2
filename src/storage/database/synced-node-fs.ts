// [coordinator] Writes PGlite's files with fsync, so that a commit also survives a power cut.
import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type ModuleOptions = Parameters<NodeFS['init']>[1];

interface OpenFile {
  /** Descriptor of Node. */
  nfd: number;
  path?: string;
}

/** The part of Emscripten's file system that is extended. */
interface FileSystemModule {
  NODEFS: {
    stream_ops: {
      fsync?: (file: OpenFile) => number;
      write(file: OpenFile, ...rest: unknown[]): number;
    };
  };
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

/** Folder of the log that every change is written to first. */
const LOG = '/pg_wal/';

export class SyncedNodeFS extends NodeFS {
  /** How often a file was flushed. */
  syncs = 0;
  readonly #onLostLog: () => void;

  /**
   * `onLostLog` is called when the log could not be written or a file not be flushed. PostgreSQL then ends and recovers at its next
   * start; PGlite would neither end nor answer any more.
   */
  constructor(dir: string, onLostLog: () => void) {
    super(dir);
    this.#onLostLog = onLostLog;
  }

  override async init(pg: PGlite, options: ModuleOptions): ReturnType<NodeFS['init']> {
    const patch = (module: unknown) => {
      const operations = (module as FileSystemModule).NODEFS.stream_ops;
      const { write } = operations;
      operations.fsync = ({ nfd }) => {
        this.syncs++;
        this.#orLost(true, () => fsyncSync(nfd));
        return 0;
      };
      operations.write = (file, ...rest) =>
        this.#orLost(file.path?.includes(LOG) ?? false, () => write.call(operations, file, ...rest));
    };
    const before = options.preRun ?? [];
    return super.init(pg, { ...options, preRun: [...(Array.isArray(before) ? before : [before]), patch] });
  }

  #orLost<T>(isVital: boolean, act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (isVital) this.#onLostLog();
      throw error;
    }
  }
}
