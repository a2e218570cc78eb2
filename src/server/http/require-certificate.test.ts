// A coordinator that asks for client certificates, over real TLS.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { TlsOptions } from '../../exchange/client/tls-fetch.ts';
import { loadKeyPair } from '../../exchange/identity/key-pair.ts';
import { type RunningServer, startServer } from '../start-server.ts';

const pem = (name: string) => readFileSync(new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const shown = (name: string) => ({ cert: pem(name), key: pem(`${name}-key`) });
const ca = pem('ca');

describe('a coordinator that asks for client certificates', () => {
  const dir = suiteDirectory();
  let server: RunningServer;
  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'data/database'));
    const https = { ca, ...shown('server') };
    server = await startServer({ data: join(dir, 'data'), host: '127.0.0.1', port: 0, work: false, https });
  });
  afterAll(() => server?.close());

  const list = async (tls: TlsOptions) => {
    const keys = await loadKeyPair(server.operatorKey);
    return new CoordinatorClient({ url: server.url, keys, tls, backOff: { attempts: 1 } }).federations();
  };

  it('answers whoever shows a sound one', async () => {
    expect(await list({ ca, ...shown('client') })).toEqual([]);
  });

  it.each<[string, TlsOptions, string]>([
    ['none', {}, 'none'],
    ['one that has expired', shown('expired'), 'one that has expired'],
    ['one that vouches for itself', shown('stranger'), 'one of an unknown authority (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ])('refuses %s and says so, whatever the key', async (_, own, got) => {
    const rule = 'must come from an authority that the coordinator trusts';
    await expect(list({ ca, ...own })).rejects.toMatchObject({
      code: 'F3_AUTH_CERTIFICATE',
      message: `client certificate: ${rule}, got ${got}`,
    });
  });

  it.each(['/healthz', '/metrics', '/docs', '/v2', '/no-such-route', '/v1/enrol'])(
    'tells a stranger nothing at %s, and hangs up',
    async (path) => {
      const answer = await new Promise<{ status?: number; close?: string; text: string }>((resolve, reject) => {
        const asked = request(server.url + path, { ca, agent: false }, async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          const { statusCode: status, headers } = response;
          resolve({ ...(status && { status }), ...(headers.connection && { close: headers.connection }), text });
        });
        asked.on('error', reject);
        asked.end();
      });
      expect(answer).toMatchObject({ status: 403, close: 'close' });
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'F3_AUTH_CERTIFICATE' });
    },
  );
});
