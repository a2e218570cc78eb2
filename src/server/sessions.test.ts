// Sessions of the dashboard: who gets in, what a session may do, how it ends, and the attacks on it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserSession } from '../../test/support/browser-session.ts';
import { copyEmbeddedTemplate } from '../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { CoordinatorClient } from '../exchange/client/coordinator-client.ts';
import { createKeyPair, type KeyPair, loadKeyPair } from '../exchange/identity/key-pair.ts';
import { proveKey } from '../exchange/identity/key-proof.ts';
import { MOST_SESSIONS, removeOldSessions } from '../storage/sessions.ts';
import { type OpenedServer, openServer } from './start-server.ts';

const WRONG_CODES = 3;

describe('a session', () => {
  const dir = suiteDirectory();
  let server: OpenedServer;
  let operator: CoordinatorClient;
  const clientOf = (keys?: KeyPair) =>
    new CoordinatorClient({ url: server.url, ...(keys && { keys }), backOff: { attempts: 1 } });
  const joined = async (owner: string, role: 'owner' | 'labels' = 'owner') => {
    const { code } = await operator.invite('grid', { owner, role });
    const keys = await createKeyPair();
    await clientOf().enrol(code, keys);
    return { keys, client: clientOf(keys) };
  };
  const open = (client: CoordinatorClient) => BrowserSession.open(server, client);
  const codeOf = (answer: { body: string }) => JSON.parse(answer.body).code;
  /** Turns the clock of all sessions back, as if nobody had done anything for so long. */
  const passIdle = async (milliseconds: number) => {
    await server.close();
    server = await start();
    operator = clientOf(await loadKeyPair(server.operatorKey));
    const back = `${milliseconds} milliseconds`;
    await server.store.executeSql(`update sessions set last_used = last_used - interval '${back}'`);
  };

  const start = () =>
    openServer({
      data: join(dir, 'data'),
      host: '127.0.0.1',
      port: 0,
      work: false,
      requestsPerMinute: 1e6,
      limits: { wrongCodesPerMinute: WRONG_CODES },
    });
  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'data', 'database'));
    server = await start();
    operator = clientOf(await loadKeyPair(server.operatorKey));
    await operator.createFederation('grid', ['calm', 'storm']);
  });
  afterAll(() => server?.close());

  it('is opened by a code, once, and has the role of whoever asked for it', async () => {
    const { code, expires } = await operator.sessionCode();
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(Date.parse(expires)).toBeGreaterThan(Date.now());
    const browser = new BrowserSession(server);
    const opened = await browser.ask('/v1/sessions', { method: 'POST', body: { code } });
    expect(opened.json()).toMatchObject({ role: 'operator', federation: null, idleSeconds: 1800 });
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^f3_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect((await browser.ask('/v1/session')).json()).toMatchObject({ role: 'operator' });
    expect((await browser.ask('/v1/federations')).json().federations).toMatchObject([{ name: 'grid' }]);
    const again = await new BrowserSession(server).ask('/v1/sessions', { method: 'POST', body: { code } });
    expect([again.statusCode, codeOf(again)]).toEqual([403, 'F3_SESSION_CODE']);
  });

  it('over TLS, also behind a proxy that speaks it, has a cookie that plain HTTP never carries', async () => {
    const { code } = await operator.sessionCode();
    const answer = await new BrowserSession(server).ask('/v1/sessions', {
      method: 'POST',
      body: { code },
      headers: { origin: 'https://f3.example' },
    });
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-f3_session=.*; Secure$/);
  });

  it('acts under the same checks as a signed request, and its acts stand in the audit log', async () => {
    const browser = await open(operator);
    const body = { owner: 'plant-1', role: 'owner' };
    expect((await browser.ask('/v1/federations/grid/invitations', { method: 'POST', body })).statusCode).toBe(200);
    const unknown = await browser.ask('/v1/federations/nowhere/models');
    expect(codeOf(unknown)).toBe('F3_FEDERATION_UNKNOWN');
    const entries = await operator.audit('grid', { limit: 1000 });
    const { id: keyId } = await loadKeyPair(server.operatorKey);
    expect(entries).toContainEqual(expect.objectContaining({ action: 'member.invited', keyId }));
    const { entries: own } = (await browser.ask('/v1/audit?limit=1000')).json();
    expect(own.map(({ action }: { action: string }) => action)).toContain('session.opened');
  });

  it('of an owner reads its own entry and changes nothing', async () => {
    const { client } = await joined('plant-2');
    const browser = await open(client);
    const status = (await browser.ask('/v1/federations/grid')).json();
    expect(status.owners.map(({ owner }: { owner: string }) => owner)).toEqual(['plant-2']);
    for (const [method, path] of [
      ['POST', '/v1/federations/grid/leave'],
      ['DELETE', '/v1/federations/grid/bundles/plant-2/1'],
    ] as const) {
      const answer = await browser.ask(path, { method, ...(method === 'POST' && { body: {} }) });
      expect([answer.statusCode, codeOf(answer)]).toEqual([403, 'F3_AUTH_FORBIDDEN']);
    }
    expect((await browser.ask('/v1/federations/grid/models')).statusCode).toBe(403);
    expect((await browser.ask('/v1/session', { method: 'DELETE' })).statusCode).toBe(200);
  });

  it('never touches keys, secrets, backups and uploads', async () => {
    const browser = await open(operator);
    for (const path of [
      '/v1/sessions/codes',
      '/v1/me/keys',
      '/v1/backups',
      '/v1/operators/somebody/revoke',
      '/v1/federations/grid/tokens',
    ]) {
      const answer = await browser.ask(path, { method: 'POST', body: {} });
      expect([path, codeOf(answer)]).toEqual([path, 'F3_AUTH_FORBIDDEN']);
    }
  });

  it('ends by logging out, by whoever may end it, and with its key', async () => {
    const { client, keys } = await joined('control-room', 'labels');
    const [first, second, third] = [await open(client), await open(client), await open(operator)];
    expect((await first.ask('/v1/session', { method: 'DELETE' })).statusCode).toBe(200);
    const gone = await first.ask('/v1/session');
    expect(gone.statusCode).toBe(401);
    const { sessions } = (await third.ask('/v1/sessions')).json();
    const own = (await second.ask('/v1/sessions')).json().sessions;
    expect(own).toMatchObject([{ owner: 'control-room', current: true }]);
    expect(sessions.length).toBeGreaterThan(own.length);
    const [{ id: foreign }] = sessions.filter(({ role }: { role: string }) => role === 'operator');
    const refused = await second.ask(`/v1/sessions/${foreign}/revoke`, { method: 'POST' });
    expect(codeOf(refused)).toBe('F3_SESSION_UNKNOWN');
    expect((await third.ask(`/v1/sessions/${own[0].id}/revoke`, { method: 'POST' })).json()).toMatchObject({
      owner: 'control-room',
    });
    expect(codeOf(await second.ask('/v1/federations/grid'))).toBe('F3_SESSION');
    const [fourth, next] = [await open(client), await createKeyPair()];
    await client.rotateKey({ publicKey: next.publicKey, proof: proveKey(next, keys.id), overlapHours: 1 });
    expect((await fourth.ask('/v1/federations/grid')).statusCode).toBe(200);
    await clientOf(next).revokeKey(keys.id);
    expect((await fourth.ask('/v1/federations/grid')).statusCode).toBe(403);
    const fifth = await open(clientOf(next));
    const { code } = await clientOf(next).sessionCode();
    await operator.revoke('grid', 'control-room');
    expect(codeOf(await fifth.ask('/v1/federations/grid'))).toBe('F3_AUTH_REVOKED');
    const late = await new BrowserSession(server).ask('/v1/sessions', { method: 'POST', body: { code } });
    expect(codeOf(late)).toBe('F3_AUTH_REVOKED');
    const actions = (await operator.audit('grid', { limit: 1000 })).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['session.opened', 'session.closed', 'session.revoked']));
  });

  it('outlives a restart, and ends when nobody has used it for a while', async () => {
    const browser = await open(operator);
    await passIdle(29 * 60_000);
    browser.server = server;
    expect((await browser.ask('/v1/federations', { headers: { 'x-f3-session': 'by-itself' } })).statusCode).toBe(200);
    await passIdle(2 * 60_000);
    browser.server = server;
    const late = await browser.ask('/v1/federations');
    expect([codeOf(late), late.json().message]).toEqual(['F3_SESSION', expect.stringContaining('idle for 30 minutes')]);
    expect((await operator.sessionCode()).code).toBeTruthy();
    await removeOldSessions(server.store.db, new Date(Date.now() + 24 * 3_600_000), new Date(Date.now() + 3_600_000));
    const { rows } = await server.store.executeSql(
      'select (select count(*) from sessions) + (select count(*) from session_codes) as left',
    );
    expect(Number(rows[0].left)).toBe(0);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of the same machine', { 'sec-fetch-site': 'same-site' }],
    ['a form, which cannot set the header', { 'x-f3-session': undefined }],
    ['an old browser at another origin', { 'sec-fetch-site': undefined, origin: 'http://evil.example' }],
    ['an old browser that says nothing', { 'sec-fetch-site': undefined }],
    ['a frame without an origin', { 'sec-fetch-site': undefined, origin: 'null' }],
  ])('attack: a request that %s sends with the cookie is refused', async (_, headers) => {
    const browser = await open(operator);
    const body = { name: 'stolen' };
    const answer = await browser.ask('/v1/federations', { method: 'POST', body, headers });
    expect([answer.statusCode, codeOf(answer)]).toEqual([403, 'F3_SESSION_ORIGIN']);
    const { code } = await operator.sessionCode();
    const login = await new BrowserSession(server).ask('/v1/sessions', { method: 'POST', body: { code }, headers });
    expect(codeOf(login)).toBe('F3_SESSION_ORIGIN');
  });

  it('attack: another site reads with the cookie', async () => {
    const browser = await open(operator);
    const answer = await browser.ask('/v1/federations', { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(codeOf(answer)).toBe('F3_SESSION_ORIGIN');
  });

  it('attack: codes are guessed; guesses are slowed and counted, a right code passes', async () => {
    const { code } = await operator.sessionCode();
    const statuses = new Set<number>();
    for (let i = 0; i <= WRONG_CODES; i++) {
      const guess = { code: i % 2 ? 'x'.repeat(43) : 'short' };
      const answer = await new BrowserSession(server).ask('/v1/sessions', { method: 'POST', body: guess });
      statuses.add(answer.statusCode);
    }
    expect(statuses).toEqual(new Set([403, 429]));
    const right = await new BrowserSession(server).ask('/v1/sessions', { method: 'POST', body: { code } });
    expect(right.statusCode).toBe(200);
    await server.counts.flush();
    const { entries } = (await (await open(operator)).ask('/v1/audit?limit=1000')).json();
    expect(entries).toContainEqual(expect.objectContaining({ action: 'code.refused' }));
  });

  it.each(['f3_session=', 'f3_session=x', `f3_session=${'A'.repeat(43)}`, `__Host-f3_session=${"' or 1=1"}`])(
    'attack: the cookie %s',
    async (cookie) => {
      const browser = new BrowserSession(server);
      browser.cookie = cookie;
      const answer = await browser.ask('/v1/federations');
      expect([answer.statusCode, codeOf(answer)]).toEqual([401, 'F3_SESSION']);
    },
  );

  it('attack: a member opens sessions without end; the oldest end, and codes are slowed', async () => {
    const { client } = await joined('collector');
    const first = await open(client);
    expect((await first.ask('/v1/session')).statusCode).toBe(200);
    let last = first;
    for (let i = 0; i < MOST_SESSIONS; i++) last = await open(client);
    expect(codeOf(await first.ask('/v1/session'))).toBe('F3_SESSION');
    expect((await last.ask('/v1/sessions')).json().sessions).toHaveLength(MOST_SESSIONS);
    // More than twice as many as a minute allows, since a minute may end among them.
    const codes = await Promise.allSettled(Array.from({ length: 130 }, () => client.sessionCode()));
    const refused = codes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason.code).toBe('F3_RATE_LIMIT');
  });

  it('attack: whoever reads the database finds neither codes nor cookies', async () => {
    const browser = await open(operator);
    const { code } = await operator.sessionCode();
    const { rows } = await server.store.executeSql(
      'select hash from sessions union all select hash from session_codes',
    );
    const kept = JSON.stringify(rows);
    expect(kept).not.toContain(code);
    expect(kept).not.toContain(browser.cookie.split('=')[1]);
  });
});
