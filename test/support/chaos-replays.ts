// An attacker who records the members' requests and sends them again after every disturbance: none may be answered. Answers with status
// 500 are noted on the way.
import type { Fetch, FetchInit } from '../../src/exchange/client/tls-fetch.ts';

/** So many requests are remembered, the newest. */
const MOST = 40;

export class Replays {
  readonly #recorded: { path: string; init: FetchInit }[] = [];
  count = 0;
  /** A line for each request of a member that was answered with status 500: what was done to the coordinator explains none of them. */
  readonly failures: string[] = [];

  /** To be given to clients instead of `fetch`. Only what was answered well is worth recording. */
  readonly fetch: Fetch = async (url, init) => {
    const response = await fetch(url, init as RequestInit);
    const { pathname, search } = new URL(url);
    if (response.status === 500) {
      this.failures.push(`${init.method} ${pathname} was answered with 500: ${await response.clone().text()}`);
    }
    if (response.ok && init.headers.authorization) {
      const { method, headers, body } = init;
      this.#recorded.push({
        path: `${pathname}${search}`,
        init: { method, headers, ...(body && { body }) } as FetchInit,
      });
      if (this.#recorded.length > MOST) this.#recorded.shift();
    }
    return response;
  };

  /** Sends the newest `count` again, to the coordinator at `url`. Gives a line for each that was answered. */
  async send(url: string, count: number): Promise<string[]> {
    const faults: string[] = [];
    for (const { path, init } of this.#recorded.slice(-count)) {
      try {
        const { status } = await fetch(`${url}${path}`, {
          ...init,
          signal: AbortSignal.timeout(10_000),
        } as RequestInit);
        this.count++;
        if (status < 400) faults.push(`a recorded ${init.method} ${path} was answered with ${status}`);
      } catch {
        // The line or the coordinator is down, so nothing was answered.
      }
    }
    return faults;
  }
}
