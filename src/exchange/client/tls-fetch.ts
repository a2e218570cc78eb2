// [wire] `fetch` with certificates of one's own. Node's takes none without another package, so this one uses node:https.
import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { F3Error } from '../../errors.ts';

/** PEM texts. */
export interface TlsOptions {
  /** The authorities that vouch for the coordinator, instead of those that Node knows. */
  ca?: string;
  /** Our own certificate and its key, for a coordinator that asks for one. */
  cert?: string;
  /** PEM text of the key that belongs to `cert`. */
  key?: string;
}

/** What a `Fetch` is given beside the address. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
  redirect?: 'manual';
}

/** As much of `fetch` as the client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** Statuses whose responses have no body. */
const EMPTY = [204, 205, 304];

export function tlsFetch(tls: TlsOptions): Fetch {
  checkTls(tls);
  const agent = new Agent({ keepAlive: true, ...tls });
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent, ...(signal && { signal }) }, (answer) => {
        const status = answer.statusCode ?? 502;
        const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
        if (EMPTY.includes(status)) answer.resume();
        const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>;
        resolve(new Response(EMPTY.includes(status) ? null : stream, { status, headers: pairs }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

/** Without this check Node would find out with the first request, which would be tried again and again. */
function checkTls(tls: TlsOptions): void {
  try {
    createSecureContext(tls);
    if (tls.ca !== undefined) new X509Certificate(tls.ca); // createSecureContext passes over a text that is no certificate
  } catch (cause) {
    // OpenSSL's messages begin with a number and a library: error:0480006C:PEM routines::no start line
    const got = (cause as Error).message.split('::').at(-1);
    const rule = 'must be PEM texts, the key that of the certificate';
    throw new F3Error('F3_CLIENT_TLS', `TLS authority, certificate and key: ${rule}, got ${got}`, { cause });
  }
}
