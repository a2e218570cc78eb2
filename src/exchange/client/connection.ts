// [wire] Sends requests to a coordinator: signs them, tries again when that can help, and turns refusals into errors of ours.
import { ERRORS, type ErrorCode, errorCode } from '../../errors.ts';
import { coordinatorOrigin } from '../identity/coordinator-origin.ts';
import type { KeyPair } from '../identity/key-pair.ts';
import { signRequest } from '../identity/request-token.ts';
import { type BackOff, type Clock, DEFAULT_BACK_OFF, delayAfter, retryAfter, systemClock } from './back-off.ts';
import { boundedText, MOST_ANSWER_BYTES, MOST_REFUSAL_BYTES } from './bounded-text.ts';
import { connectionFailure } from './connection-failure.ts';
import { RequestFailure } from './request-failure.ts';
import { type Fetch, type TlsOptions, tlsFetch } from './tls-fetch.ts';

/** Where a coordinator is, who asks, and how patiently. */
export interface ConnectionOptions {
  /** http(s)://host[:port] */
  url: string;
  /** What answers there, for error messages; the coordinator by default. */
  peer?: string;
  /** Signs every request; without it only enrolment is possible. */
  keys?: KeyPair;
  /** Certificates, where the coordinator needs others than Node knows. */
  tls?: TlsOptions;
  /** Sends the requests instead of Node's own `fetch`. */
  fetch?: Fetch;
  /** What differs from `DEFAULT_BACK_OFF`. */
  backOff?: Partial<BackOff>;
  /** Time and chance; by default the system's. */
  clock?: Clock;
  /** Milliseconds after which an attempt counts as failed. */
  timeout?: number;
  /** The most bytes of an answer that are read; 256 MiB by default. */
  mostAnswerBytes?: number;
  /** Called before each wait. */
  onRetry?: (failure: RequestFailure, milliseconds: number) => void;
}

/** What is special about a request. */
export interface RequestOptions {
  /** What is sent. */
  body?: Uint8Array;
  /** Its media type. */
  type?: string;
  /** The media type of the answer. The default is JSON. */
  accept?: string;
  /** Headers beside those that the connection sets. */
  headers?: Record<string, string>;
  /** How often this request is tried, instead of the connection's number. */
  attempts?: number;
  /** Milliseconds after which an attempt counts as failed, instead of the connection's. */
  timeout?: number;
  /** The most bytes of the answer that are read, instead of the connection's number. */
  mostAnswerBytes?: number;
  /** Ends the request, whichever attempt is under way. */
  signal?: AbortSignal;
}

const TIMEOUT = 60_000;
/** Where a coordinator wants us to wait for longer, we give up. */
const LONGEST_RETRY_AFTER = 5 * 60_000;
/** 408: the coordinator gave up waiting for the rest of the request, so it has done nothing (RFC 9110, 15.5.9). */
const RETRIED_STATUS = [408, 429, 502, 503, 504];
/** Refusals that pass by themselves, whatever their status: a token that came too late, a disk on which room is made. */
const RETRIED_CODES: readonly (string | undefined)[] = ['F3_AUTH_RETRY', 'F3_DISK_FULL'];
/** Too many requests, but waiting a minute does not help. */
const SPENT_FOR_TODAY: ErrorCode = 'F3_PSEUDONYM_LIMIT';

/** Sends requests to one coordinator: signed, and tried again where that can help. */
export class Connection {
  /** The coordinator's address, without a path. */
  readonly origin: string;
  /** How often and how patiently it tries again. */
  readonly backOff: BackOff;
  /** Its time and chance. */
  readonly clock: Clock;
  readonly #options: ConnectionOptions;
  readonly #fetch: Fetch;

  constructor(options: ConnectionOptions) {
    this.origin = coordinatorOrigin(options.url, options.peer);
    this.backOff = { ...DEFAULT_BACK_OFF, ...options.backOff };
    this.clock = options.clock ?? systemClock;
    this.#options = options;
    this.#fetch = options.fetch ?? (options.tls ? tlsFetch(options.tls) : (fetch as Fetch));
  }

  get #peer(): string {
    return `${this.#options.peer ?? 'coordinator'} ${this.origin}`;
  }

  /** Sends JSON and gets JSON. Without `body` nothing is sent. */
  async json(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<unknown> {
    const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)), type: 'application/json' };
    return this.#read(method, path, { ...options, ...sent });
  }

  /** Sends bytes and gets JSON. */
  async bytes(method: string, path: string, body: Uint8Array, options: RequestOptions = {}): Promise<unknown> {
    return this.#read(method, path, { type: 'application/octet-stream', ...options, body });
  }

  /** Gives the body as it comes. Once it has begun, the caller mends its breaks. */
  async stream(path: string, options: RequestOptions = {}): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#persist(options, () => this.#send('GET', path, options));
    const { body } = response;
    if (!body) throw this.#unexpected('GET', path, 'an answer without a body');
    return body as AsyncIterable<Uint8Array>;
  }

  /** The error that stands for whatever broke a request or a `stream`. */
  failure(thrown: unknown): RequestFailure {
    if (thrown instanceof RequestFailure) return thrown;
    // An answer without end would come again.
    if (errorCode(thrown) === 'F3_CLIENT_RESPONSE') {
      const message = `${this.#peer}: ${(thrown as Error).message}`;
      return new RequestFailure('F3_CLIENT_RESPONSE', message, { isFinal: true });
    }
    return connectionFailure(this.#peer, thrown);
  }

  /** Waits as after the `failures`-th failure in a row, and as long as the coordinator asked for. */
  async pause(failures: number, failure: RequestFailure): Promise<void> {
    const milliseconds = failure.wait + delayAfter(failures, this.backOff, this.clock);
    this.#options.onRetry?.(failure, milliseconds);
    await this.clock.sleep(milliseconds);
  }

  async #read(method: string, path: string, options: RequestOptions): Promise<unknown> {
    const { timeout = this.#options.timeout ?? TIMEOUT } = options;
    const { mostAnswerBytes = this.#options.mostAnswerBytes ?? MOST_ANSWER_BYTES } = options;
    const text = await this.#persist(options, async () => {
      const deadline = AbortSignal.timeout(timeout);
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
      const response = await this.#send(method, path, { ...options, signal });
      return boundedText(response, mostAnswerBytes);
    });
    try {
      return text === '' ? {} : JSON.parse(text);
    } catch {
      throw this.#unexpected(method, path, oneLine(text, 80));
    }
  }

  /** Runs `attempt` until it succeeds, the failure is final, or the tries are used up. */
  async #persist<T>(
    { attempts = this.backOff.attempts, signal }: RequestOptions,
    attempt: () => Promise<T>,
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt();
      } catch (thrown) {
        if (signal?.aborted) throw thrown;
        const failure = this.failure(thrown);
        if (failure.isFinal || failures >= attempts) throw failure;
        await this.pause(failures, failure);
      }
    }
  }

  /** Makes one attempt, with a token of its own. Throws unless the status is a good one. */
  async #send(method: string, path: string, options: RequestOptions): Promise<Response> {
    const { body = new Uint8Array(), type, accept = 'application/json', headers, signal } = options;
    const url = this.#urlOf(path);
    const { keys } = this.#options;
    const request = { method, path: url.pathname + url.search, body };
    const token = keys && (await signRequest(keys, request, this.clock.now()));
    const response = await this.#fetch(url.href, {
      method,
      headers: {
        accept,
        ...(type && { 'content-type': type }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(options.body && { body: body as Uint8Array<ArrayBuffer> }),
      ...(signal && { signal }),
      redirect: 'manual', // because a token is for one host
    });
    if (response.ok) return response;
    throw await this.#refusal(method, path, response);
  }

  async #refusal(method: string, path: string, response: Response): Promise<RequestFailure> {
    const { status, headers } = response;
    const { code, message } = readProblem(await boundedText(response, MOST_REFUSAL_BYTES));
    const wait = retryAfter(headers.get('retry-after'), this.clock.now());
    const isRetried = (RETRIED_STATUS.includes(status) && code !== SPENT_FOR_TODAY) || RETRIED_CODES.includes(code);
    const isFinal = !isRetried || wait > LONGEST_RETRY_AFTER;
    if (code !== undefined && Object.hasOwn(ERRORS, code)) {
      return new RequestFailure(code as ErrorCode, message, { isFinal, wait });
    }
    const found = `status ${status}${code ? ` ${code}` : ''}${message ? `: ${message}` : ''}`;
    return this.#unexpected(method, path, found, { isFinal, wait });
  }

  /** What is signed must be what is sent: a path that URLs write differently (`..`) cannot be asked for. */
  #urlOf(path: string): URL {
    const url = new URL(path, this.origin);
    if (url.origin === this.origin && url.pathname + url.search === path) return url;
    const message = `path ${path}: must be written as URLs write it, got ${url.pathname + url.search}`;
    throw new RequestFailure('F3_ARGUMENT', message, { isFinal: true });
  }

  #unexpected(method: string, path: string, found: string, { isFinal = true, wait = 0 } = {}): RequestFailure {
    const message = `${this.#peer}: ${method} ${path} must be answered as f3 does, got ${found}`;
    return new RequestFailure('F3_CLIENT_RESPONSE', message, { isFinal, wait });
  }
}

function readProblem(text: string): { code: string | undefined; message: string } {
  try {
    const { code, message } = (JSON.parse(text) ?? {}) as { code?: unknown; message?: unknown };
    if (typeof code === 'string' && typeof message === 'string') return { code, message: oneLine(message, 1000) };
  } catch {
    // The answer may be a proxy's page, say.
  }
  return { code: undefined, message: oneLine(text, 80) };
}

/** What others wrote goes to a terminal, so it must have no line breaks and no control sequences. */
const oneLine = (text: string, longest: number): string =>
  text
    .trim()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, longest);
