// [wire] Checks an exported audit log offline: the chain, the signed heads, and heads that somebody kept. Says where it was changed.
import type { JWK } from 'jose';
import { readPublicKey } from '../identity/key-pair.ts';
import { chainHash, entryDigest, genesisHash } from './audit-chain.ts';
import { type AuditFileStart, type ChainedEntry, parseAuditLine } from './audit-file.ts';
import { type AuditHead, isSignedHead } from './audit-head.ts';

/** What to check a log against, beside itself. */
export interface AuditTrust {
  /** Thumbprints of the keys that may have signed heads. Without them any key of the file may. */
  keyIds?: readonly string[] | undefined;
  /** Heads that were kept from before. */
  heads?: readonly AuditHead[] | undefined;
}

/** What was found. The log is sound if there are no problems. */
export interface AuditVerdict {
  federation: string | null;
  /** How many entries the file has. */
  entries: number;
  /** How many signed heads fit. */
  heads: number;
  /** Thumbprints of the keys that signed them. */
  signedBy: string[];
  /** How many entries at the end no head covers. */
  unsigned: number;
  /** A line for every change, with the number of the entry. */
  problems: string[];
}

/** Reads the lines of an exported log. `file` names it in errors. */
export async function verifyAudit(
  lines: AsyncIterable<string> | Iterable<string>,
  file: string,
  trust: AuditTrust = {},
): Promise<AuditVerdict> {
  let check: AuditCheck | undefined;
  let number = 0;
  for await (const text of lines) {
    if (text === '') continue;
    const line = parseAuditLine(text, ++number, file);
    if ('format' in line) check = await AuditCheck.begin(line, trust);
    else if ('head' in line) check?.addHead(line.head);
    else check?.addEntry(line.entry);
  }
  if (!check) parseAuditLine('', 1, file); // throws: the file is empty
  return (check as AuditCheck).verdict();
}

class AuditCheck {
  readonly #federation: string | null;
  readonly #keys: ReadonlyMap<string, JWK>;
  readonly #heads = new Map<number, AuditHead[]>();
  readonly #problems: string[] = [];
  readonly #signedBy = new Set<string>();
  #hash: string;
  #number = 0;
  #entries = 0;
  #fitting = 0;
  #covered = 0;

  private constructor(federation: string | null, keys: ReadonlyMap<string, JWK>) {
    this.#federation = federation;
    this.#keys = keys;
    this.#hash = genesisHash(federation);
  }

  static async begin({ federation, keys }: AuditFileStart, { keyIds, heads = [] }: AuditTrust): Promise<AuditCheck> {
    const read = await Promise.all(keys.map(({ publicKey }) => readPublicKey(publicKey)));
    const known = read.filter(({ id }) => keyIds === undefined || keyIds.includes(id));
    const check = new AuditCheck(federation, new Map(known.map(({ id, publicKey }) => [id, publicKey])));
    if (keyIds !== undefined && known.length === 0) {
      check.#problems.push(`keys: none of the file's keys is the one that was named (${keyIds.join(', ')})`);
    }
    for (const head of heads) check.addHead(head, 'the head that was kept');
    return check;
  }

  addHead(head: AuditHead, name = 'a head'): void {
    const what = `${name} of ${head.count} entries, signed at ${head.at}`;
    const key = this.#keys.get(head.keyId);
    if (head.federation !== this.#federation) {
      this.#problems.push(`${what}: belongs to ${logName(head.federation)}, not to ${logName(this.#federation)}`);
    } else if (!key) this.#problems.push(`${what}: is signed with key ${head.keyId}, which is not trusted here`);
    else if (!isSignedHead(key, head)) this.#problems.push(`${what}: its signature is wrong`);
    else this.#heads.set(head.count, [...(this.#heads.get(head.count) ?? []), head]);
  }

  addEntry(entry: ChainedEntry): void {
    this.#entries++;
    const { number, hash } = entry;
    if (number <= this.#number) {
      this.#problems.push(`entry ${number}: stands after entry ${this.#number}; entries were reordered or repeated`);
      return;
    }
    const isNext = number === this.#number + 1;
    if (!isNext) this.#problems.push(missing(this.#number + 1, number - 1));
    // After a gap the hash before is unknown, so the entry's own is believed; the next signed head will tell.
    else if (chainHash(this.#hash, number, entryDigest(entry)) !== hash || entry.federation !== this.#federation) {
      this.#problems.push(`entry ${number}: was changed, or one was put in or taken out before it`);
    }
    this.#number = number;
    this.#hash = hash;
    for (const head of this.#heads.get(number) ?? []) this.#compare(head);
  }

  #compare({ count, at, hash, keyId }: AuditHead): void {
    if (hash === this.#hash) {
      this.#fitting++;
      this.#covered = count;
      this.#signedBy.add(keyId);
      return;
    }
    const from = this.#covered + 1;
    const which = from === count ? `entry ${count}` : `entries ${from} to ${count}`;
    this.#problems.push(`${which}: changed and hashed anew after ${at}, when the coordinator signed another hash`);
  }

  verdict(): AuditVerdict {
    const counted = Math.max(0, ...this.#heads.keys());
    if (counted > this.#number) this.#problems.push(`${missing(this.#number + 1, counted)} at the end`);
    return {
      federation: this.#federation,
      entries: this.#entries,
      heads: this.#fitting,
      signedBy: [...this.#signedBy],
      unsigned: this.#number - this.#covered,
      problems: this.#problems,
    };
  }
}

const missing = (from: number, to: number): string =>
  from === to ? `entry ${from}: is missing` : `entries ${from} to ${to}: are missing`;

const logName = (federation: string | null): string =>
  federation === null ? 'the server' : `federation ${federation}`;
