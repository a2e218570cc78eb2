// [entity] Shares of bundles of one federation, as whole files: `<root>.share` and, once it counts, `<root>.json` beside it.
// Shares are written once, read whole and deleted for good, so a folder serves better than a database: deleting one truly frees it, any tool copies it.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';
import { manifestRoot, type ShareManifest, shareBytes, shareCommitment } from '../share-manifest.ts';
import { flush, moveSettled, removeSettled, writeSettled } from './settled-files.ts';

/** A share that an entity holds whole. */
export interface HeldShare {
  root: string;
  manifest: ShareManifest;
}

interface Receipt {
  manifest: ShareManifest;
  /** The owner's signed statement. */
  statement: string;
  /** Base64url. */
  salt: string;
}

/** Uploads of an owner that may be under way; older ones are thrown away. */
const MOST_OPEN = 2;
/** Milliseconds after which an upload that nobody goes on with is thrown away, when the entity starts. */
const ABANDONED_MS = 7 * 24 * 3600 * 1000;
/** Bytes that an owner may have here, unless the operator says otherwise; as a member has at a coordinator. */
export const OWNER_BYTES = 20 * 2 ** 30;
const ROOT = /^[0-9a-f]{64}$/;

/** One entity's shares of one federation. */
export class ShareStore {
  readonly #entity: number;
  readonly #ownerBytes: number;
  readonly #bundles: string;
  readonly #uploads: string;
  readonly #epochFile: string;
  readonly #held = new Map<string, HeldShare>();
  /** Manifests of uploads under way, which their owners state again after a restart. */
  readonly #open = new Map<string, { statement: string; manifest: ShareManifest }>();
  #epoch: number;

  /** An owner may have `ownerBytes` here, what is under way included. */
  constructor(folder: string, entity: number, ownerBytes: number = OWNER_BYTES) {
    this.#entity = entity;
    this.#ownerBytes = ownerBytes;
    [this.#bundles, this.#uploads] = [join(folder, 'bundles'), join(folder, 'uploads')];
    this.#epochFile = join(folder, 'epoch');
    for (const path of [this.#bundles, this.#uploads]) mkdirSync(path, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.#uploads)) {
      const part = join(this.#uploads, name);
      if (Date.now() - statSync(part).mtimeMs > ABANDONED_MS) rmSync(part, { force: true });
    }
    this.#epoch = existsSync(this.#epochFile) ? readEpoch(this.#epochFile) : 0;
    for (const name of readdirSync(this.#bundles)) {
      const root = name.replace(/\.json$/, '');
      if (!name.endsWith('.json') || !ROOT.test(root)) continue;
      this.#held.set(root, { root, manifest: this.#receipt(root).manifest });
    }
  }

  /** Rises with every change. A store that shows a lower number than before is an old copy. */
  get epoch(): number {
    return this.#epoch;
  }

  held(): HeldShare[] {
    return [...this.#held.values()];
  }

  /** Begins or goes on with an upload. Returns how many bytes are here. */
  offer(statement: string, manifest: ShareManifest): { received: number; isHeld: boolean } {
    const root = manifestRoot(statement);
    const size = shareBytes(manifest);
    if (this.#held.has(root)) return { received: size, isHeld: true };
    const { owner, version } = manifest;
    const other = this.held().find(({ manifest: one }) => one.owner === owner && one.version === version);
    if (other) {
      const rule = `version ${version} is held under another commitment`;
      throw new F3Error('F3_SHARES_VERSION', `shared bundle of ${owner}: ${rule}; push it as a newer version`);
    }
    this.#requireRoom(owner, root, size);
    this.#open.set(root, { statement, manifest });
    this.#limitOpen(owner, root);
    const received = sizeOf(this.#part(root));
    if (received <= size) return { received, isHeld: false };
    truncateSync(this.#part(root), 0);
    return { received: 0, isHeld: false };
  }

  /** Appends bytes at `offset`, which must be where the share ends. */
  append(root: string, offset: number, bytes: Uint8Array, owner: string): number {
    const { manifest } = this.#offered(root, owner);
    const received = sizeOf(this.#part(root));
    if (offset !== received) {
      throw new F3Error('F3_UPLOAD_OFFSET', `share of ${owner}: offset must be ${received}, got ${offset}`);
    }
    const size = shareBytes(manifest);
    if (received + bytes.length > size) {
      const found = received + bytes.length;
      throw new F3Error('F3_SHARES_BUNDLE', `share of ${owner}: must have ${size} bytes, got ${found} or more`);
    }
    appendFileSync(this.#part(root), bytes, { mode: 0o600 });
    return received + bytes.length;
  }

  /** The share counts from here on, if it is the one that the owner committed to. */
  finish(root: string, salt: Uint8Array, owner: string): void {
    if (this.#held.has(root)) return;
    const { statement, manifest } = this.#offered(root, owner);
    const part = this.#part(root);
    const [received, size] = [sizeOf(part), shareBytes(manifest)];
    if (received !== size) {
      throw new F3Error('F3_SHARES_BUNDLE', `share of ${owner}: must have ${size} bytes, got ${received}`);
    }
    if (!this.#matches(manifest, salt, readFileSync(part))) {
      rmSync(part);
      const rule = `version ${manifest.version} must match the owner's commitment`;
      throw new F3Error('F3_SHARES_COMMITMENT', `share of ${owner}: ${rule}, got other bytes, which were thrown away`);
    }
    flush(part);
    this.#raiseEpoch();
    moveSettled(part, this.#file(root));
    const receipt: Receipt = { manifest, statement, salt: Buffer.from(salt).toString('base64url') };
    writeSettled(this.#card(root), `${JSON.stringify(receipt, null, 2)}\n`);
    this.#open.delete(root);
    this.#held.set(root, { root, manifest });
  }

  /** The share, checked against the owner's commitment once more. */
  async read(root: string): Promise<Uint8Array> {
    const held = this.#held.get(root);
    if (!held) throw new F3Error('F3_SHARES_STORE', `entity ${this.#entity}: must hold a share of ${root}, got none`);
    const bytes = await readFile(this.#file(root)).catch(() => new Uint8Array());
    const { salt } = this.#receipt(root);
    if (this.#matches(held.manifest, Buffer.from(salt, 'base64url'), bytes)) return bytes;
    const { owner, version } = held.manifest;
    const rule = `its share of ${owner}, version ${version}, must be as it came`;
    throw new F3Error('F3_SHARES_STORE', `entity ${this.#entity}: ${rule}, got a file that was changed or lost`);
  }

  /** Deletes a share for good. Returns whether there was one. */
  remove(root: string): boolean {
    if (!this.#held.has(root)) return false;
    this.#raiseEpoch();
    removeSettled(this.#card(root));
    removeSettled(this.#file(root));
    this.#held.delete(root);
    return true;
  }

  #offered(root: string, owner: string): { statement: string; manifest: ShareManifest } {
    const open = this.#open.get(root);
    if (open?.manifest.owner === owner) return open;
    throw new F3Error('F3_SHARES_BUNDLE', `share of ${owner}: must be offered before it is sent`);
  }

  #matches(manifest: ShareManifest, salt: Uint8Array, bytes: Uint8Array): boolean {
    return shareCommitment(manifest, this.#entity, salt, bytes) === manifest.commitments[this.#entity - 1];
  }

  /** What is under way counts as if it were here. */
  #requireRoom(owner: string, root: string, size: number): void {
    const held = this.held().filter(({ manifest }) => manifest.owner === owner);
    const open = [...this.#open].filter(([name, { manifest }]) => name !== root && manifest.owner === owner);
    const others = [...held, ...open.slice(1 - MOST_OPEN).map(([, one]) => one)];
    const taken = others.reduce((sum, { manifest }) => sum + shareBytes(manifest), 0);
    if (taken + size <= this.#ownerBytes) return;
    const rule = `may have at most ${this.#ownerBytes} bytes at entity ${this.#entity}`;
    throw new F3Error('F3_QUOTA', `shares of ${owner}: ${rule}, got ${taken} held or under way and ${size} more`);
  }

  /** Newest uploads stay. */
  #limitOpen(owner: string, newest: string): void {
    const others = [...this.#open].filter(([root, { manifest }]) => manifest.owner === owner && root !== newest);
    for (const [root] of others.slice(0, Math.max(0, others.length + 1 - MOST_OPEN))) {
      this.#open.delete(root);
      rmSync(this.#part(root), { force: true });
    }
  }

  #raiseEpoch(): void {
    writeSettled(this.#epochFile, `${this.#epoch + 1}\n`);
    this.#epoch++;
  }

  #receipt(root: string): Receipt {
    return JSON.parse(readFileSync(this.#card(root), 'utf8')) as Receipt;
  }

  #file = (root: string): string => join(this.#bundles, `${root}.share`);
  #card = (root: string): string => join(this.#bundles, `${root}.json`);
  #part = (root: string): string => join(this.#uploads, `${root}.part`);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function readEpoch(file: string): number {
  const epoch = Number(readFileSync(file, 'utf8'));
  if (Number.isSafeInteger(epoch)) return epoch;
  throw new F3Error('F3_SHARES_STORE', `${file}: must hold the number of changes, got something else`);
}
