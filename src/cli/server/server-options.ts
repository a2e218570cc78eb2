// [coordinator] Checks the options of `f3 serve` and `f3 worker` on database and certificates before anything is opened.
import { readFileSync } from 'node:fs';
import { unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { readTlsFiles, type TlsFileOptions } from '../tls-files.ts';

export interface DatabaseOptions {
  database?: string;
  databasePasswordFile?: string;
}

export const PASSWORD_FILE_FLAG = '--database-password-file <file>';
export const PASSWORD_FILE_TEXT = "holds the password of --database's user, which the process list must not show";

/** Returns undefined for the embedded database. */
export function databaseUrl({ database, databasePasswordFile: file }: DatabaseOptions): string | undefined {
  if (database === undefined) {
    if (file === undefined) return undefined;
    throw new F3Error('F3_OPTION', '--database-password-file: must come with --database, got it alone');
  }
  const url = requirePostgres(database);
  return file === undefined ? url : withPassword(url, file);
}

function withPassword(url: string, file: string): string {
  const parsed = new URL(url);
  if (parsed.password !== '') {
    throw new F3Error('F3_OPTION', '--database: must hold no password beside --database-password-file, got one');
  }
  const password = readPassword(file);
  parsed.password = encodeURIComponent(password);
  if (parsed.password !== '') return parsed.href;
  throw new F3Error('F3_OPTION', '--database: must name a host for --database-password-file, got none');
}

/** The password is one line. The line break that editors and `echo` add does not count. */
function readPassword(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw unreadable(`--database-password-file ${file}`, cause, 'must be readable', 'F3_OPTION');
  }
  if (text !== '' && !/[\r\n]/.test(text)) return text;
  const found = text === '' ? 'an empty file' : 'several lines';
  throw new F3Error(
    'F3_OPTION',
    `--database-password-file ${file}: must hold the password and nothing else, got ${found}`,
  );
}

/** The URL may hold a password, so the message shows only its scheme. */
function requirePostgres(url: string): string {
  if (/^postgres(ql)?:\/\//i.test(url) && URL.canParse(url)) return url;
  const got = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(url)?.[0];
  const rule = 'must be a URL that begins with postgres:// or postgresql://';
  throw new F3Error('F3_OPTION', `--database: ${rule}, got ${got ? `${got}://…` : 'something else'}`);
}

export interface ServerTls {
  cert: string;
  key: string;
  ca?: string;
}

/** Returns undefined for plain HTTP. */
export function serverTls(options: TlsFileOptions): ServerTls | undefined {
  const { tlsCert, tlsKey, tlsCa } = options;
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  const { cert, key, ca } = readTlsFiles(options);
  if (cert !== undefined && key !== undefined) return { cert, key, ...(ca !== undefined && { ca }) };
  throw new F3Error('F3_OPTION', '--tls-ca: must come with --tls-cert and --tls-key, got it alone');
}
