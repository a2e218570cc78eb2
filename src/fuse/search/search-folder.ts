// [coordinator] A search on disk: a folder with one file per finished fit, written whole, so that a search that was killed goes on and
// repeats none of them. One search uses it at a time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DirectoryLock } from '../../base/directory-lock.ts';
import { unwritable } from '../../base/unwritable.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import type { FitStore } from './fit-record.ts';

const CARD = 'search.json';
const FORMAT = 'f3-search';
/** What taking the lock leaves in a folder. */
const LOCK = /^lock(\.pid|-journal)?$/;
/** What is ours in the folder; anything else there is not touched. */
const OURS = /^(search\.json|fit-[0-9a-f]{24}(\.f3fit|\.checkpoint)|lock|lock\.pid|lock-journal)$/;

/** The fits of a search in a folder of its own. */
export class SearchFolder implements FitStore {
  readonly dir: string;
  readonly #lock: DirectoryLock;
  #isOpen = true;

  private constructor(dir: string, lock: DirectoryLock) {
    this.dir = dir;
    this.#lock = lock;
  }

  /** `about` says what is learned from, see `inputIdentity`: a folder is of use for nothing else. */
  static async open(dir: string, about: string): Promise<SearchFolder> {
    const fail = (rule: string): F3Error => new F3Error('F3_SEARCH_FOLDER', `search folder ${dir}: ${rule}`);
    if (existsSync(dir) && !statSync(dir).isDirectory()) throw fail('must be a folder or not exist, got a file');
    const strange = existsSync(dir) ? readdirSync(dir).find((name) => !LOCK.test(name)) : undefined;
    const file = join(dir, CARD);
    if (strange !== undefined && !existsSync(file)) throw fail(`must be of a search or empty, got ${strange} in it`);
    try {
      mkdirSync(dir, { recursive: true });
    } catch (cause) {
      throw unwritable(`search folder ${dir}`, cause, 'F3_SEARCH_FOLDER');
    }
    // SQLite, which takes the lock, is loaded where it is needed only.
    const { lockDirectory } = await import('../../base/directory-lock.ts');
    const lock = lockDirectory(dir, { thing: 'search folder', code: 'F3_SEARCH_FOLDER' });
    try {
      if (!existsSync(file)) {
        const card = `${JSON.stringify({ format: FORMAT, version: 1, about })}\n`;
        writeWholeFile(file, card, `search folder ${dir}`, 'F3_SEARCH_FOLDER');
      }
      if (readAbout(file) !== about) {
        const rule = 'must be of the same bundles, labels, split, graph and version of f3';
        throw fail(`${rule}, got that of another search; remove it or name another`);
      }
      return new SearchFolder(dir, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  load(name: string): Uint8Array | undefined {
    const file = this.#file(name);
    return existsSync(file) ? readFileSync(file) : undefined;
  }

  save(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    writeWholeFile(this.#file(name), bytes, `search folder ${this.dir}`, 'F3_SEARCH_FOLDER');
  }

  /** Where the state of a fit is kept while it is made. */
  checkpoint(name: string): string {
    return join(this.dir, `fit-${shortName(name)}.checkpoint`);
  }

  /** Removes what is ours, when the model is safe elsewhere. */
  remove(): void {
    this.close();
    if (!existsSync(this.dir)) return;
    const names = readdirSync(this.dir);
    const ours = names.filter((name) => OURS.test(name));
    for (const name of ours) rmSync(join(this.dir, name), { recursive: true });
    if (ours.length === names.length) rmdirSync(this.dir);
  }

  /** Lets others use the folder. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#lock.release();
  }

  #file(name: string): string {
    return join(this.dir, `fit-${shortName(name)}.f3fit`);
  }
}

const shortName = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 24);

function readAbout(file: string): unknown {
  try {
    const card: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof card === 'object' && card !== null && 'about' in card ? card.about : undefined;
  } catch {
    return undefined;
  }
}
