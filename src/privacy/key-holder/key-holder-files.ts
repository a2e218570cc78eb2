// What a key holder keeps: its key, who may ask, codes that were given out, and how many ids each member asked for today. A file
// each, written whole, so that `f3 pseudonyms invite` and a serving process can use the same folder at the same time.
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { sha256 } from '../../base/sha256.ts';
import { unwritable } from '../../base/unwritable.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { isOwnerId, OWNER_ID_RULE } from '../../exchange/bundle/owner-id.ts';
import { createPseudonymKey, type PseudonymKey } from '../pseudonyms/oprf.ts';

/** Somebody who may ask for pseudonyms. */
export interface PseudonymMember {
  name: string;
  keyId: string;
  publicKey: JWK;
  joined: string;
}

interface StoredCode {
  name: string;
  expires: string;
}

const KEY_FILE = 'pseudonym-key.json';
const CODE_DAYS = 7;
const DAY = 24 * 60 * 60 * 1000;

export class KeyHolderFiles {
  readonly key: PseudonymKey;
  readonly #dir: string;

  private constructor(dir: string, key: PseudonymKey) {
    this.#dir = dir;
    this.key = key;
  }

  /** Makes the folder and the key at the first start. */
  static open(dir: string): KeyHolderFiles {
    try {
      for (const name of ['members', 'codes', 'usage']) mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw unwritable(`key holder ${dir}`, cause, 'F3_OUTPUT');
    }
    const file = join(dir, KEY_FILE);
    if (!existsSync(file)) {
      const fresh = join(dir, `.${randomBytes(6).toString('hex')}.tmp`);
      writeFileSync(fresh, `${JSON.stringify(createPseudonymKey(), null, 2)}\n`, { mode: 0o600, flush: true });
      try {
        linkSync(fresh, file); // unlike a rename, a link does not replace a key that another start has just made
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(`key ${file}`, cause, 'F3_KEY');
      } finally {
        rmSync(fresh, { force: true });
      }
    }
    return new KeyHolderFiles(dir, readKey(file));
  }

  /** The code is returned this once; its hash is kept. */
  invite(name: string, now = new Date()): { code: string; expires: string } {
    if (!isOwnerId(name)) {
      throw new F3Error('F3_BUNDLE_OWNER', `member: name ${OWNER_ID_RULE}, got ${JSON.stringify(name)}`);
    }
    const code = randomBytes(20).toString('base64url');
    const expires = new Date(now.getTime() + CODE_DAYS * DAY).toISOString();
    this.#write('codes', sha256(code), { name, expires } satisfies StoredCode);
    return { code, expires };
  }

  /** A code is good for one key. The same key may use it again, because its answer may have got lost. */
  join(code: string, { keyId, publicKey }: { keyId: string; publicKey: JWK }, now = new Date()): PseudonymMember {
    const known = this.member(keyId);
    if (known) return known;
    const file = join(this.#dir, 'codes', `${sha256(code)}.json`);
    const stored = readJson<StoredCode>(file);
    if (!stored || Date.parse(stored.expires) < now.getTime()) {
      throw new F3Error('F3_INVITATION', `code: must be one that the key holder gave out, got another or an old one`);
    }
    const taken = `${file}.${randomBytes(4).toString('hex')}`;
    try {
      renameSync(file, taken); // of two at once only one succeeds
    } catch (cause) {
      throw new F3Error('F3_INVITATION_USED', 'code: must be unused, got one that was used', { cause });
    }
    const member = { name: stored.name, keyId, publicKey, joined: now.toISOString() };
    this.#write('members', keyId, member);
    rmSync(taken, { force: true });
    return member;
  }

  member(keyId: string): PseudonymMember | undefined {
    return /^[\w-]{43}$/.test(keyId) ? readJson(join(this.#dir, 'members', `${keyId}.json`)) : undefined;
  }

  members(): PseudonymMember[] {
    return readdirSync(join(this.#dir, 'members'))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => this.member(name.slice(0, -'.json'.length)) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** From now on the members of that name are refused, and so are codes in that name which nobody has used. Gives how many there were. */
  remove(name: string): number {
    const members = this.members().filter((member) => member.name === name);
    const codes = readdirSync(join(this.#dir, 'codes'))
      .map((file) => join(this.#dir, 'codes', file))
      .filter((file) => readJson<StoredCode>(file)?.name === name);
    // Codes first: who is shut out must not come back with one meanwhile.
    for (const file of codes) rmSync(file, { force: true });
    for (const { keyId } of members) rmSync(join(this.#dir, 'members', `${keyId}.json`), { force: true });
    return codes.length + members.length;
  }

  /** Ids that a member has asked for on the day (UTC) of `now`, or on a later one if the clock was set back: that must not begin a new day. */
  used(keyId: string, now = new Date()): number {
    const counted = this.#counted(keyId);
    return counted && counted.day >= dayOf(now) ? counted.ids : 0;
  }

  /** Counted on disk before the answer is computed, so that a restart forgets nothing. */
  spend(keyId: string, ids: number, now = new Date()): void {
    const [today, last] = [dayOf(now), this.#counted(keyId)?.day ?? ''];
    this.#write('usage', keyId, { day: last > today ? last : today, ids: this.used(keyId, now) + ids });
  }

  /** What cannot be read must not count as nothing, because then it would be no limit. */
  #counted(keyId: string): { day: string; ids: number } | undefined {
    const file = join(this.#dir, 'usage', `${keyId}.json`);
    if (!existsSync(file)) return undefined;
    const counted = readJson<{ day: string; ids: number }>(file);
    if (typeof counted?.day === 'string' && Number.isInteger(counted.ids)) return counted;
    throw new F3Error(
      'F3_INTERNAL',
      `key holder: usage/${keyId}.json must say how many ids were asked for and when, got something else`,
    );
  }

  #write(folder: string, name: string, value: object): void {
    writeWholeFile(join(this.#dir, folder, `${name}.json`), `${JSON.stringify(value)}\n`);
  }
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

function readKey(file: string): PseudonymKey {
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    const mode = (statSync(file).mode & 0o777).toString(8);
    throw new F3Error('F3_KEY', `key ${file}: must be readable by its owner only (chmod 600), got mode ${mode}`);
  }
  const key = readJson<PseudonymKey>(file);
  const isKey = [key?.secret, key?.public].every((digits) => /^[0-9a-f]{64}$/.test(digits ?? ''));
  if (key && isKey) return key;
  throw new F3Error(
    'F3_KEY',
    `key ${file}: must be a pseudonym key as f3 pseudonyms serve writes it, got something else`,
  );
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
