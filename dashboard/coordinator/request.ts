// Asks the coordinator over HTTP with the session's cookie, and tells an answer that is no from no answer at all.
import { noteAnswer, noteSilence } from './connection.ts';

/** A refusal: what the coordinator said, with its code. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The coordinator, or the way to it, is away. */
export class Silence extends Error {
  constructor() {
    super('The coordinator does not answer.');
  }
}

/** Called when the coordinator says that there is no session, or none any more. */
let onSignedOut: (refusal: Refusal) => void = () => undefined;
export function whenSignedOut(act: (refusal: Refusal) => void): void {
  onSignedOut = act;
}

interface Asked {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** The key of something that is made once, however often it is asked for. */
  once?: string;
}

/** Statuses of proxies and of a coordinator whose database is away. */
const AWAY = [502, 503, 504];

export async function ask<T>(path: string, { method = 'GET', body, signal, once }: Asked = {}): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  // No other site can make a browser send this header, so a request that carries it comes from this page.
  if (method !== 'GET') headers['x-f3-session'] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (once) headers['idempotency-key'] = once;
  let response: Response;
  try {
    const text = body === undefined ? null : JSON.stringify(body);
    response = await fetch(path, { method, headers, body: text, signal: signal ?? null, credentials: 'same-origin' });
  } catch (error) {
    if (signal?.aborted) throw error;
    noteSilence();
    throw new Silence();
  }
  const answer = (await response.json().catch((error: unknown) => {
    // An answer that breaks off is none. A refusal may come from a proxy, in other words than ours.
    if (signal?.aborted) throw error;
    if (!response.ok) return {};
    noteSilence();
    throw new Silence();
  })) as { code?: string; message?: string };
  if (response.ok) {
    noteAnswer();
    return answer as T;
  }
  const { code = `HTTP ${response.status}`, message = response.statusText } = answer;
  if (AWAY.includes(response.status) && code !== 'F3_BUSY') {
    noteSilence();
    throw new Silence();
  }
  noteAnswer();
  const refusal = new Refusal(response.status, code, message);
  if (response.status === 401) onSignedOut(refusal);
  throw refusal;
}

/** The path of something in a federation; every part is percent-encoded. */
export const inFederation = (federation: string, ...parts: (string | number)[]): string =>
  ['/v1/federations', federation, ...parts].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join('/');
