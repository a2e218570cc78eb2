// [coordinator] Serves the dashboard at `/`: its built files, or a page that says how to build them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_HEADERS } from '../http/page-headers.ts';
import { type PageFile, readPageFiles } from './page-files.ts';

const INDEX = '/index.html';
const FOREVER = 'public, max-age=31536000, immutable';
const options = { config: { allow: 'public', rateLimit: false }, schema: { hide: true } } as const;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>f3 coordinator</title><h1>f3 coordinator</h1>
<p>The coordinator answers, but its dashboard was not built. In a clone of the repository run <code>node scripts/setup.mjs</code>
and start the coordinator again. The package from npm has the dashboard built.</p>
<p>The routes are listed at <a href="/docs">/docs</a>.</p></html>`;

/** The files are fixed when the app is built, so that one page never mixes two builds. */
export function servePage(app: FastifyInstance, files: readonly PageFile[] = readPageFiles()): void {
  const index = files.find(({ path }) => path === INDEX);
  if (!index) {
    app.get('/', options, async (_, reply) => {
      reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' }).type('text/html; charset=utf-8');
      return NOT_BUILT;
    });
    return;
  }
  app.get('/', options, (request, reply) => send(index, request, reply));
  for (const file of files) {
    if (file !== index) app.get(file.path, options, (request, reply) => send(file, request, reply));
  }
}

async function send(file: PageFile, { headers }: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
  const { type, bytes, etag, isNamedByContent } = file;
  reply.headers({ ...PAGE_HEADERS, etag, vary: 'accept-encoding' });
  reply.header('cache-control', isNamedByContent ? FOREVER : 'no-cache').type(type);
  if (headers['if-none-match'] === etag) {
    reply.status(304);
    return undefined;
  }
  if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '') || bytes.length < 1000) return bytes;
  reply.header('content-encoding', 'gzip');
  return file.compressed();
}
