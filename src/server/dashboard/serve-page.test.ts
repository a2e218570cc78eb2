// The dashboard's files as a browser gets them: types, caching, compression, and a policy that lets nothing else in.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { readPageFiles } from './page-files.ts';
import { servePage } from './serve-page.ts';

function someBuild(): string {
  const dir = temporaryDirectory();
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>f3</title>');
  writeFileSync(join(dir, 'assets', 'main-1.js'), `// ${'x'.repeat(2000)}`);
  writeFileSync(join(dir, 'secret.pem'), 'not a kind of file that pages have');
  return dir;
}

test('files are served with their types; those named by content may be kept for ever', async () => {
  const app = Fastify();
  servePage(app, readPageFiles(someBuild()));
  const index = await app.inject('/');
  expect(index.body).toContain('<title>f3</title>');
  expect(index.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  const script = await app.inject({ url: '/assets/main-1.js', headers: { 'accept-encoding': 'gzip, br' } });
  expect(gunzipSync(script.rawPayload).toString()).toMatch(/^\/\/ x+$/);
  expect(script.headers['cache-control']).toContain('immutable');
  expect((await app.inject('/secret.pem')).statusCode).toBe(404);
  expect((await app.inject('/assets/../index.html')).statusCode).toBe(404);
  const again = await app.inject({ url: '/', headers: { 'if-none-match': String(index.headers.etag) } });
  expect(again).toMatchObject({ statusCode: 304, body: '' });
});

test('the policy allows no inline script, no frame and nothing from elsewhere', async () => {
  const app = Fastify();
  servePage(app, readPageFiles(someBuild()));
  const policy = String((await app.inject('/')).headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test('without a build the page says how to make one', async () => {
  const app = Fastify();
  servePage(app, []);
  expect((await app.inject('/')).body).toContain('node scripts/setup.mjs');
});
