// [coordinator] The file of a backup: records of one line of JSON and some bytes, and at the end the hash of all before it.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';

export const BACKUP_FORMAT = 'f3-backup';
export const BACKUP_VERSION = 1;

/** What a record is; `bytes` follow its line. */
export type BackupHeader =
  | { kind: 'start'; format: string; version: number; f3: string; created: string; migrations: string[]; bytes: 0 }
  /** A file of the data folder. */
  | { kind: 'file'; name: string; bytes: number }
  /** All tables as they were at one moment follow. The last snapshot counts. */
  | { kind: 'snapshot'; number: number; bytes: 0 }
  /** Rows of a table, one line of JSON each. */
  | { kind: 'rows'; table: string; rows: number; bytes: number }
  /** A part of a blob. */
  | { kind: 'chunk'; blob: string; position: number; bytes: number }
  | { kind: 'end'; snapshots: number; sha256: string; bytes: 0 };

const LINE_FEED = Buffer.from('\n');

/** Writes records one after the other. */
export class BackupWriter {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  size = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(header: BackupHeader, body: Uint8Array = new Uint8Array()): Promise<void> {
    const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body, LINE_FEED]);
    this.#hash.update(bytes);
    this.size += bytes.length;
    await this.#file.writeFile(bytes);
  }

  /** Writes the hash of everything before, and waits until all is on the disk. */
  async end(snapshots: number): Promise<string> {
    const sha256 = this.#hash.digest('hex');
    await this.#file.writeFile(`${JSON.stringify({ kind: 'end', snapshots, sha256, bytes: 0 })}\n`);
    await this.#file.sync();
    return sha256;
  }
}

export interface BackupRecord {
  header: BackupHeader;
  body: Buffer;
}

/** No line and no body is longer: chunks have 1 MiB, and rows are written in pieces. */
const LONGEST_LINE = 2 ** 16;
const LONGEST_BODY = 2 ** 28;

/** Gives the records in order. Throws F3_BACKUP_FILE for a file that is cut off, changed or something else. */
export async function* readBackup(path: string): AsyncGenerator<BackupRecord> {
  const reader = await ByteReader.open(path);
  const hash = createHash('sha256');
  try {
    for (let first = true; ; first = false) {
      const line = await reader.line();
      const header = parseHeader(line, path, first);
      if (header.kind === 'end') {
        if (hash.digest('hex') !== header.sha256) throw broken(path, 'must be as it was written, got changed bytes');
        if (!(await reader.isAtEnd())) throw broken(path, 'must end with its hash, got more after it');
        yield { header, body: Buffer.alloc(0) };
        return;
      }
      const body = await reader.take(header.bytes);
      hash
        .update(line)
        .update(LINE_FEED)
        .update(body)
        .update(await reader.take(1));
      yield { header, body };
    }
  } finally {
    await reader.close();
  }
}

/** Reads all of it once. Nothing is restored from a file that does not pass. */
export async function checkBackup(path: string): Promise<{ migrations: string[]; snapshots: number; created: string }> {
  let start: Extract<BackupHeader, { kind: 'start' }> | undefined;
  for await (const { header } of readBackup(path)) {
    if (header.kind === 'start') start = header;
    if (header.kind === 'end' && start && header.snapshots > 0) {
      return { migrations: start.migrations, created: start.created, snapshots: header.snapshots };
    }
  }
  throw broken(path, 'must hold a snapshot, got none');
}

export const broken = (path: string, rule: string) => new F3Error('F3_BACKUP_FILE', `backup ${path}: ${rule}`);

function parseHeader(line: Buffer, path: string, isFirst: boolean): BackupHeader {
  let header: Partial<BackupHeader>;
  try {
    header = JSON.parse(line.toString('utf8')) as Partial<BackupHeader>;
  } catch {
    header = {};
  }
  if (isFirst) {
    const { format, version } = header as { format?: unknown; version?: unknown };
    if (header.kind !== 'start' || format !== BACKUP_FORMAT)
      throw broken(path, 'must be a backup of f3, got another file');
    if (version !== BACKUP_VERSION) throw broken(path, `must be of version ${BACKUP_VERSION}, got ${version}`);
  }
  const { kind, bytes } = header;
  if (typeof kind === 'string' && Number.isSafeInteger(bytes) && bytes! >= 0 && bytes! <= LONGEST_BODY) {
    return header as BackupHeader;
  }
  throw broken(path, 'must be as it was written, got a broken record');
}

class ByteReader {
  readonly #file: FileHandle;
  readonly #path: string;
  #buffer = Buffer.alloc(0);

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  static async open(path: string): Promise<ByteReader> {
    try {
      return new ByteReader(await open(path, 'r'), path);
    } catch (cause) {
      throw unreadable(`backup ${path}`, cause, 'must be readable', 'F3_BACKUP_FILE');
    }
  }

  async line(): Promise<Buffer> {
    for (;;) {
      const at = this.#buffer.indexOf(10);
      if (at >= 0) {
        const line = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + 1);
        return line;
      }
      if (this.#buffer.length > LONGEST_LINE)
        throw broken(this.#path, 'must be as it was written, got a broken record');
      await this.#more();
    }
  }

  async take(length: number): Promise<Buffer> {
    while (this.#buffer.length < length) await this.#more(length - this.#buffer.length);
    const bytes = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return bytes;
  }

  async isAtEnd(): Promise<boolean> {
    return this.#buffer.length === 0 && (await this.#file.read(Buffer.alloc(1), 0, 1)).bytesRead === 0;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #more(wanted = 0): Promise<void> {
    const bytes = Buffer.alloc(Math.max(wanted, 2 ** 16));
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length);
    if (bytesRead === 0) throw broken(this.#path, 'must end with its hash, got a file that is cut off');
    this.#buffer = Buffer.concat([this.#buffer, bytes.subarray(0, bytesRead)]);
  }
}
