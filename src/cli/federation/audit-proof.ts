// Writes an audit log with its proofs to a file, and checks one: for `f3 federation audit --export` and `--verify`.
import { createReadStream, existsSync } from 'node:fs';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { checkReadable, readText } from '../../base/read-file.ts';
import { unwritable } from '../../base/unwritable.ts';
import { checkFileTarget } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { isHead } from '../../exchange/audit/audit-file.ts';
import type { AuditHead } from '../../exchange/audit/audit-head.ts';
import { exportAudit } from '../../exchange/audit/export-audit.ts';
import { type AuditVerdict, verifyAudit } from '../../exchange/audit/verify-audit.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import { printResult } from '../run-command.ts';

/** Characters that are written at a time. */
const FLUSHED = 2 ** 16;

/** A log of a running coordinator. */
interface AuditPlace {
  client: CoordinatorClient;
  /** Null for the server's own log. */
  federation: string | null;
}

/** Written beside its place and renamed, so that a log is there whole or not at all. */
export async function exportAuditFile(
  { client, federation }: AuditPlace,
  file: string,
  { force = false, json }: { force?: boolean; json?: boolean },
): Promise<void> {
  checkFileTarget(file, force);
  const target = resolve(file);
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  let entries = 0;
  let text = '';
  try {
    await writeFile(beside, '');
    for await (const line of exportAudit(client, federation)) {
      if ('entry' in line) entries++;
      text += `${JSON.stringify(line)}\n`;
      if (text.length < FLUSHED) continue;
      await appendFile(beside, text);
      text = '';
    }
    await appendFile(beside, text);
    await rename(beside, target);
  } catch (cause) {
    await rm(beside, { force: true });
    throw unwritable(`output ${file}`, cause, 'F3_OUTPUT');
  }
  printResult({ file, entries }, `${entries} entries in ${file}`, json);
}

export interface VerifyOptions {
  auditKey?: string;
  keptHead?: string;
  json?: boolean;
}

/** Prints what was found, and throws if the log was changed. */
export async function verifyAuditLog(source: string | AuditPlace, options: VerifyOptions): Promise<void> {
  const { auditKey, keptHead, json } = options;
  const trust = {
    keyIds: auditKey === undefined ? undefined : await keyIdsOf(auditKey),
    heads: keptHead === undefined ? undefined : await readHeads(keptHead),
  };
  const name = typeof source === 'string' ? source : 'the audit log of the coordinator';
  const verdict = await verifyAudit(await linesOf(source), name, trust);
  printResult(verdict, verdictText(verdict, auditKey !== undefined), json);
  const { problems } = verdict;
  if (problems.length === 0) return;
  const found = problems.length === 1 ? 'one change' : `${problems.length} changes`;
  throw new F3Error('F3_AUDIT_CHANGED', `${name}: must be as the coordinator wrote it, got ${found}`);
}

async function linesOf(source: string | AuditPlace): Promise<AsyncIterable<string>> {
  if (typeof source !== 'string') return serialised(source);
  await checkReadable(source);
  return createInterface({ input: createReadStream(source, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* serialised({ client, federation }: AuditPlace): AsyncGenerator<string> {
  for await (const line of exportAudit(client, federation)) yield JSON.stringify(line);
}

const THUMBPRINT = /^[\w-]{43}$/;

/** The id of a key, or a file with keys as `--keys` prints them. */
async function keyIdsOf(given: string): Promise<string[]> {
  if (THUMBPRINT.test(given) && !existsSync(given)) return [given];
  const { readPublicKey } = await import('../../exchange/identity/key-pair.ts');
  const { keys } = parse(await readText(given)) as { keys?: { publicKey?: unknown }[] };
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new F3Error('F3_AUDIT_FILE', `${given}: must hold public keys of a coordinator, got none`);
  }
  return Promise.all(keys.map(async ({ publicKey }) => (await readPublicKey(publicKey)).id));
}

async function readHeads(file: string): Promise<AuditHead[]> {
  const heads = (await readText(file)).split('\n').filter((line) => line.trim() !== '');
  const read = heads.map(parse);
  if (read.length > 0 && read.every(isHead)) return read;
  throw new F3Error('F3_AUDIT_FILE', `${file}: must hold signed heads, one to a line, got something else`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function verdictText(
  { federation, entries, heads, signedBy, unsigned, problems }: AuditVerdict,
  isNamed: boolean,
): string {
  const log = federation === null ? "the coordinator's own log" : `the log of federation ${federation}`;
  const signed = `${heads} signed head${heads === 1 ? '' : 's'}${signedBy.length > 0 ? ` by key ${signedBy.join(', ')}` : ''}`;
  const lines = [`${log}: ${entries} entries, ${signed}`, ...problems.map((problem) => `  ${problem}`)];
  if (unsigned > 0) lines.push(`  the last ${unsigned} entries are chained but not signed yet`);
  if (problems.length === 0) lines.push('nothing was changed, taken out or put in another order');
  if (!isNamed && signedBy.length > 0) lines.push('compare the key with the one that you know: --audit-key does');
  return lines.join('\n');
}
