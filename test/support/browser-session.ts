// A browser that has opened the dashboard: it keeps the cookie, and sends what a browser sends from the page's own origin.
import type { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import type { OpenedServer } from '../../src/server/start-server.ts';

export interface PageRequest {
  method?: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  body?: object;
  headers?: Record<string, string | undefined>;
}

export class BrowserSession {
  /** May be replaced by another that has the same database. */
  server: Pick<OpenedServer, 'app'>;
  cookie = '';

  constructor(server: Pick<OpenedServer, 'app'>) {
    this.server = server;
  }

  /** Opens a session with a fresh code of the client's member. */
  static async open(server: Pick<OpenedServer, 'app'>, client: CoordinatorClient): Promise<BrowserSession> {
    const browser = new BrowserSession(server);
    const { code } = await client.sessionCode();
    const answer = await browser.ask('/v1/sessions', { method: 'POST', body: { code } });
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return browser;
  }

  /** Headers of undefined are not sent. */
  async ask(url: string, { method = 'GET', body, headers = {} }: PageRequest = {}) {
    const sent = {
      'sec-fetch-site': 'same-origin',
      ...(method !== 'GET' && { 'x-f3-session': '1' }),
      ...(this.cookie && { cookie: this.cookie }),
      ...headers,
    };
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    const answer = await this.server.app.inject({
      method,
      url,
      headers: { ...(given as Record<string, string>), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
    const [set] = [answer.headers['set-cookie'] ?? []].flat();
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? '' : set.split(';')[0];
    return answer;
  }
}
