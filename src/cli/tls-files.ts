// Reads the PEM files that a command was given, and checks them before anything is opened or sent.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { F3Error } from '../errors.ts';

export interface TlsFileOptions {
  tlsCa?: string | undefined;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

/** The contents of the files. */
export interface TlsTexts {
  ca?: string;
  cert?: string;
  key?: string;
}

/** A certificate must be given together with its key. */
export function readTlsFiles({ tlsCa, tlsCert, tlsKey }: TlsFileOptions): TlsTexts {
  requirePair({ tlsCert, tlsKey });
  const ca = tlsCa === undefined ? {} : { ca: readAuthority(tlsCa) };
  if (tlsCert === undefined || tlsKey === undefined) return ca;
  const cert = readChecked('--tls-cert', tlsCert, 'a certificate (PEM)', (text) => {
    requireValid(new X509Certificate(text));
    createSecureContext({ cert: text });
  });
  const key = readChecked('--tls-key', tlsKey, `the private key (PEM) of ${tlsCert}`, (text) => {
    createSecureContext({ cert, key: text });
  });
  return { ...ca, cert, key };
}

export function requirePair({ tlsCert, tlsKey }: Pick<TlsFileOptions, 'tlsCert' | 'tlsKey'>): void {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return;
  throw new F3Error('F3_OPTION', '--tls-cert and --tls-key: must be given together');
}

export const readAuthority = (file: string, option = '--tls-ca'): string =>
  readChecked(option, file, "an authority's certificate (PEM)", (text) => requireValid(new X509Certificate(text)));

/** The other side would refuse a certificate that has expired or is not valid yet. */
function requireValid({ validFromDate, validToDate }: X509Certificate, now = new Date()): void {
  if (now > validToDate) throw new Error(`one that expired at ${validToDate.toISOString()}`);
  if (now < validFromDate) throw new Error(`one that is valid from ${validFromDate.toISOString()} on`);
}

const UNREADABLE: Record<string, string> = { ENOENT: 'no such file', EACCES: 'no permission', EISDIR: 'a directory' };

function readChecked(option: string, file: string, rule: string, check: (text: string) => void): string {
  try {
    const text = readFileSync(file, 'utf8');
    check(text);
    return text;
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    // OpenSSL's messages begin with a number and a library: error:0480006C:PEM routines::no start line
    const got = UNREADABLE[code] ?? message.split('::').at(-1);
    throw new F3Error('F3_OPTION', `${option} ${file}: must be ${rule}, got ${got}`, { cause });
  }
}
