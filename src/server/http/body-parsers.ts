// [coordinator] Parses bodies and keeps their bytes, because a token signs bytes. How long a body may be is up to its route.
import type { FastifyInstance } from 'fastify';
import { F3Error } from '../../errors.ts';

const KIB = 1024;
/** Most bytes of a body, by what it holds. A route that names none takes `control`. */
export const BODY_BYTES = {
  /** A code and a public key. */
  enrolment: 8 * KIB,
  /** Names, numbers and options. */
  control: 64 * KIB,
  /** As many class names as a federation may have. */
  classes: 1024 * KIB,
  /** The longest embedding of a live sample. */
  embedding: 4 * 1024 * KIB,
  /** A chunk of an upload, a batch of samples, or the split and graph of a training. */
  content: 8 * 1024 * KIB,
} as const;

const BINARY = ['application/octet-stream', 'application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.file'];

export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers(); // because Fastify's parser of plain text does not keep the bytes
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer;
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      const isOurs = error instanceof F3Error;
      done(isOurs ? error : new F3Error('F3_REQUEST', 'request: body must be JSON, got something else'));
    }
  });
  app.addContentTypeParser(BINARY, { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer;
    done(null, body);
  });
}

/** JSON can spell the character NUL and halves of UTF-16 surrogate pairs, which a database cannot store as text. */
const UNKEEPABLE = /\\u(0000|[dD][89a-fA-F])/;

function parseJson(body: Buffer): unknown {
  const text = body.toString();
  if (text === '') return undefined;
  return JSON.parse(text, UNKEEPABLE.test(text) ? requireKeepable : undefined);
}

function requireKeepable(name: string, value: unknown): unknown {
  for (const text of [name, value]) {
    if (typeof text !== 'string') continue;
    if (text.includes('\0')) throw new F3Error('F3_REQUEST', 'request: texts must not hold the character NUL');
    if (!text.isWellFormed())
      throw new F3Error('F3_REQUEST', 'request: texts must hold whole characters, got half of one');
  }
  return value;
}
