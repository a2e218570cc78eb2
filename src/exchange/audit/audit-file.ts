// [wire] An exported audit log: lines of JSON, first what log it is and the keys, then the signed heads, then every entry.
import { F3Error } from '../../errors.ts';
import type { AuditContent } from './audit-chain.ts';
import type { AuditHead } from './audit-head.ts';

export const AUDIT_FORMAT = 'f3-audit';
export const AUDIT_FORMAT_VERSION = 1;

/** A public key of the coordinator, for its signed heads. */
export interface AuditKey {
  /** Its thumbprint (RFC 7638). */
  keyId: string;
  publicKey: { kty?: string; crv?: string; x?: string };
  /** When the coordinator began to sign with it (ISO 8601). */
  since?: string;
}

/** The first line. */
export interface AuditFileStart {
  format: typeof AUDIT_FORMAT;
  version: number;
  /** The federation; null for the server's own log. */
  federation: string | null;
  keys: AuditKey[];
}

/** An entry with its place in the chain. */
export interface ChainedEntry extends AuditContent {
  /** Its place in the log, from 1. */
  number: number;
  /** The chain's hash after it. */
  hash: string;
}

/** A line of the file. */
export type AuditLine = AuditFileStart | { head: AuditHead } | { entry: ChainedEntry };

/** Reads a line, of which `number` counts from 1. */
export function parseAuditLine(text: string, number: number, file: string): AuditLine {
  const line = parse(text);
  if (number === 1) {
    if (isStart(line)) return line;
    throw broken(file, number, `an ${AUDIT_FORMAT} file of version ${AUDIT_FORMAT_VERSION} must begin with its name`);
  }
  if (isObject(line) && (isHead(line.head) || isEntry(line.entry))) return line as unknown as AuditLine;
  throw broken(file, number, 'a line must be a signed head or an entry');
}

const broken = (file: string, number: number, rule: string) =>
  new F3Error('F3_AUDIT_FILE', `${file}: ${rule}, got something else (line ${number})`);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function isStart(line: unknown): line is AuditFileStart {
  if (!isObject(line) || line.format !== AUDIT_FORMAT || line.version !== AUDIT_FORMAT_VERSION) return false;
  const isNamed = line.federation === null || typeof line.federation === 'string';
  return isNamed && Array.isArray(line.keys) && line.keys.every(isObject);
}

/** Whether a value has the fields of a signed head. */
export function isHead(head: unknown): head is AuditHead {
  if (!isObject(head) || !(head.federation === null || typeof head.federation === 'string')) return false;
  const areTexts = ['hash', 'at', 'keyId', 'signature'].every((name) => typeof head[name] === 'string');
  return areTexts && Number.isSafeInteger(head.count);
}

function isEntry(entry: unknown): entry is ChainedEntry {
  if (!isObject(entry)) return false;
  const areTexts = ['at', 'actor', 'action', 'hash'].every((name) => typeof entry[name] === 'string');
  return areTexts && Number.isSafeInteger(entry.number) && isObject(entry.details);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
