// [coordinator] Watches the disk of the data folder: uploads are refused before it is full, so that the database can still write.
import { statfs } from 'node:fs/promises';
import { F3Error } from '../errors.ts';
import { type WriteProbe, writeTrouble } from '../storage/database/writable-folder.ts';

export interface DiskWatchOptions {
  dir: string;
  /** Bytes that uploads leave free. */
  reserve: number;
  probe?: WriteProbe | undefined;
  freeBytes?: ((dir: string) => Promise<number>) | undefined;
}

const FRESH_MS = 1000;

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #last: { at: number; trouble: Promise<string | undefined> } | undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** Throws F3_DISK_FULL if writing so many bytes would use up the reserve. */
  async requireRoom(bytes: number): Promise<void> {
    const { dir, reserve, freeBytes = freeBytesOf } = this.#options;
    const free = await freeBytes(dir);
    if (free - bytes >= reserve) return;
    const rule = `must have ${reserve} bytes left after an upload of ${bytes}`;
    throw new F3Error('F3_DISK_FULL', `coordinator: its disk ${rule}, got ${free} free; its operator has to free some`);
  }

  /** Why the disk cannot be written; undefined if it can. Tried at most once a second, because anybody may ask. */
  trouble(): Promise<string | undefined> {
    const at = performance.now();
    if (this.#last === undefined || at - this.#last.at > FRESH_MS) this.#last = { at, trouble: this.#look() };
    return this.#last.trouble;
  }

  async #look(): Promise<string | undefined> {
    const { dir, reserve, probe, freeBytes = freeBytesOf } = this.#options;
    const got = writeTrouble(dir, probe);
    if (got) return `its data folder must be writable, got ${got}`;
    const free = await freeBytes(dir);
    return free < reserve ? `its disk must have ${reserve} bytes free, got ${free}; free some space` : undefined;
  }
}

async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
