// [coordinator] Parses bodies and keeps their bytes, because a token signs bytes. How long a body may be is up to its route.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { bodyHash, requireSignedBody } from '../../exchange/identity/request-token.ts';
import { parseJson } from '../requests/parse-json.ts';
import { ReadBody } from '../requests/read-body.ts';
import { askerOf, SMALL_BODY_BYTES } from '../requests/request-thread.ts';
import type { BodyReader } from '../requests/request-worker.ts';
import type { ServerContext } from '../server-context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How a large body is read, in a thread; by default as JSON of few values. */
    reader?: BodyReader;
  }
}

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

export function addBodyParsers(app: FastifyInstance, { requests }: ServerContext): void {
  app.removeAllContentTypeParsers(); // because Fastify's parser of plain text does not keep the bytes
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    request.rawBody = body;
    if (body.length <= SMALL_BODY_BYTES) return parseJson(body);
    // Nobody's thread works for a body that its sender did not sign.
    if (request.signedToken) requireSignedBody(request.signedToken.bodyHash, bodyHash(body));
    const { reader = 'json' } = request.routeOptions.config;
    const read = await requests.read(askerOf(request), reader, body);
    return reader === 'json' ? read.content : read;
  });
  app.addContentTypeParser(BINARY, { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer;
    done(null, body);
  });
  app.setValidatorCompiler<z.ZodType>((route) => {
    const validate = validatorCompiler(route);
    return (content: unknown) => (content instanceof ReadBody ? { value: content } : validate(content));
  });
}
