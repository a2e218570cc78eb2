// [coordinator] What `f3 serve` and `f3 worker` are told of their surroundings, checked before anything is opened.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { F3Error } from '../../errors.ts';
import type { TlsFileOptions } from '../federation/member-client.ts';

/** The URL may hold a password: no more than its scheme is shown. */
export function requirePostgres(url: string): string {
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

export function serverTls({ tlsCert, tlsKey, tlsCa }: TlsFileOptions): ServerTls | undefined {
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new F3Error('F3_OPTION', '--tls-cert and --tls-key: must be given together');
  }
  const cert = readChecked('--tls-cert', tlsCert, 'a certificate (PEM)', (text) => {
    new X509Certificate(text);
    createSecureContext({ cert: text });
  });
  const key = readChecked('--tls-key', tlsKey, `the private key (PEM) of ${tlsCert}`, (text) => {
    createSecureContext({ cert, key: text });
  });
  if (tlsCa === undefined) return { cert, key };
  const rule = "an authority's certificate (PEM)";
  return { cert, key, ca: readChecked('--tls-ca', tlsCa, rule, (text) => void new X509Certificate(text)) };
}

function readChecked(option: string, file: string, rule: string, check: (text: string) => void): string {
  try {
    const text = readFileSync(file, 'utf8');
    check(text);
    return text;
  } catch (cause) {
    // OpenSSL's tell their number and library first: error:0480006C:PEM routines::no start line
    const got = (cause as Error).message.split('::').at(-1);
    throw new F3Error('F3_OPTION', `${option} ${file}: must be ${rule}, got ${got}`, { cause });
  }
}
