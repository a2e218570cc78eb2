// The key holder's HTTP application: it evaluates blinded ids for members, so many a day, and sees neither ids nor pseudonyms.
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ERRORS, errorCode, F3Error } from '../../errors.ts';
import { readPublicKey } from '../../exchange/identity/key-pair.ts';
import { bodyHash, readKeyId, TOKEN_SECONDS, verifyRequest } from '../../exchange/identity/request-token.ts';
import { base64, bytesOf, type KeyHolderFacts, SUITE } from '../pseudonyms/key-holder-client.ts';
import { ELEMENT_BYTES } from '../pseudonyms/oprf.ts';
import type { OprfThreads } from '../pseudonyms/oprf-threads.ts';
import type { KeyHolderFiles, PseudonymMember } from './key-holder-files.ts';
import { KEY_HOLDER_LIMITS, type KeyHolderLimits } from './key-holder-limits.ts';

const joinBody = z.strictObject({ code: z.string().min(1).max(200), publicKey: z.unknown() });
const evaluateBody = z.strictObject({ blinded: z.array(z.string().max(64)).min(1) });
/** Enough for a batch of base64 elements. */
const BODY_BYTES_PER_ID = 64;
const RETRY_SECONDS = '2';

export async function buildKeyHolder(
  files: KeyHolderFiles,
  threads: OprfThreads,
  { https, ...given }: Partial<KeyHolderLimits> & { https?: { key: string; cert: string } | undefined } = {},
): Promise<FastifyInstance> {
  const limits = { ...KEY_HOLDER_LIMITS, ...given };
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 };
  const app = Fastify({
    bodyLimit: 4096 + limits.batch * BODY_BYTES_PER_ID,
    ...(https ? { https: { ...https, ...timeouts } } : { http: timeouts }),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = 1000;
  app.setErrorHandler(answerProblem);
  app.setNotFoundHandler((request) => {
    throw new F3Error('F3_ROUTE', `route: must exist, got ${request.method} ${request.url.slice(0, 200)}`);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  await app.register(rateLimit, { global: false });

  const facts: KeyHolderFacts = {
    suite: SUITE,
    publicKey: files.key.public,
    batch: limits.batch,
    idsPerDay: limits.idsPerDay,
  };
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/v1/key', async () => facts);
  const guesses = { rateLimit: { max: limits.joinsPerMinute, timeWindow: '1 minute' } };
  app.post('/v1/join', { bodyLimit: 4096, config: guesses }, async (request) => {
    const { code, publicKey: jwk } = parsed(joinBody, request.body);
    const { publicKey, id: keyId } = await readPublicKey(jwk);
    const { name } = files.join(code, { keyId, publicKey });
    return { name, keyId };
  });
  const gate = new Gate(files);
  let underWay = 0;
  app.post('/v1/evaluate', async (request, reply) => {
    const member = await gate.admit(request);
    const { blinded } = parsed(evaluateBody, request.body);
    if (blinded.length > limits.batch) {
      throw new F3Error('F3_REQUEST_SIZE', `request: must ask for up to ${limits.batch} ids, got ${blinded.length}`);
    }
    const elements = blinded.map((text) => bytesOf(text, ELEMENT_BYTES));
    if (elements.includes(undefined)) {
      throw new F3Error('F3_REQUEST', `request: blinded ids must be ${ELEMENT_BYTES} bytes as base64url, got others`);
    }
    requireBudget(files, member, blinded.length, limits.idsPerDay);
    if (underWay >= limits.underWay) {
      reply.header('retry-after', RETRY_SECONDS);
      throw new F3Error('F3_NOT_READY', 'key holder: must have time, got as many requests as it computes at once');
    }
    underWay++;
    try {
      files.spend(member.keyId, blinded.length);
      const { evaluated, proof } = await threads.evaluate(files.key, elements as Uint8Array[]);
      return { evaluated: evaluated.map(base64), proof: base64(proof) };
    } finally {
      underWay--;
    }
  });
  return app;
}

function requireBudget(files: KeyHolderFiles, { name, keyId }: PseudonymMember, ids: number, most: number): void {
  const used = files.used(keyId);
  if (used + ids <= most) return;
  const rule = `may have ${most} ids evaluated in a day (UTC)`;
  throw new F3Error(
    'F3_PSEUDONYM_LIMIT',
    `member ${name}: ${rule}, got ${used} before and ${ids} more; tomorrow it goes on`,
  );
}

/** Lets signed requests of members in, each once. */
class Gate {
  readonly #files: KeyHolderFiles;
  /** Tokens that were used, with the second at which they expire. */
  readonly #used = new Map<string, number>();

  constructor(files: KeyHolderFiles) {
    this.#files = files;
  }

  async admit({ method, url, headers, body }: FastifyRequest): Promise<PseudonymMember> {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const member = this.#files.member(readKeyId(token));
    if (!member) {
      throw new F3Error(
        'F3_AUTH_UNKNOWN',
        'request token: must be signed by a member of the key holder, got a stranger',
      );
    }
    const received = { method, path: url, bodyHash: bodyHash(body instanceof Uint8Array ? body : new Uint8Array()) };
    const { jti, exp } = await verifyRequest(token, member.publicKey, received);
    this.#forget();
    if (this.#used.has(jti)) throw new F3Error('F3_AUTH_REPLAY', 'request token: must be new, got one that was used');
    this.#used.set(jti, exp);
    return member;
  }

  /** Tokens stand in the order in which they came, which is nearly that of their ends. */
  #forget(): void {
    const now = Date.now() / 1000 - TOKEN_SECONDS;
    for (const [jti, exp] of this.#used) {
      if (exp > now) return;
      this.#used.delete(jti);
    }
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  try {
    const found = schema.safeParse(JSON.parse(text));
    if (found.success) return found.data;
  } catch {
    // The same message stands for what is no JSON and for JSON of another shape.
  }
  throw new F3Error('F3_REQUEST', 'request: body must be JSON of the documented shape, got something else');
}

function answerProblem(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const code = errorCode(error);
  if (code) return void reply.status(ERRORS[code].status).send({ code, message: error.message });
  const { statusCode = 500 } = error;
  if (statusCode === 413) {
    return void reply.status(413).send({ code: 'F3_REQUEST_SIZE', message: 'request: body must be smaller' });
  }
  if (statusCode === 429) return void reply.status(429).send({ code: 'F3_RATE_LIMIT', message: error.message });
  if (statusCode < 500) return void reply.status(statusCode).send({ code: 'F3_REQUEST', message: error.message });
  reply.status(500).send({ code: 'F3_INTERNAL', message: 'the key holder failed' });
}
