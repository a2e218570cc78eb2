// [coordinator] What `f3 serve` and `f3 worker` are told of their surroundings, checked before anything is opened.
import { F3Error } from '../../errors.ts';
import { readTlsFiles, type TlsFileOptions } from '../tls-files.ts';

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

/** Undefined: plain HTTP. */
export function serverTls(options: TlsFileOptions): ServerTls | undefined {
  const { tlsCert, tlsKey, tlsCa } = options;
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  const { cert, key, ca } = readTlsFiles(options);
  if (cert !== undefined && key !== undefined) return { cert, key, ...(ca !== undefined && { ca }) };
  throw new F3Error('F3_OPTION', '--tls-ca: must come with --tls-cert and --tls-key, got it alone');
}
