// [coordinator] Errors as answers: {code, message} with the status that src/errors.ts gives, and nothing of our insides.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode, errorCode } from '../errors.ts';

export interface Problem {
  code: ErrorCode;
  message: string;
}

/** Fastify's own complaints, in our words. */
const FASTIFY: Record<string, { status: number; code: ErrorCode; message: string }> = {
  FST_ERR_BAD_URL: { status: 400, code: 'F3_REQUEST_PATH', message: 'request: path must be written as URLs are' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, code: 'F3_REQUEST_SIZE', message: 'request: body must be smaller' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: 'F3_REQUEST', message: 'request: body is of an unknown type' },
};

export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const code = errorCode(error);
  const known = FASTIFY[error.code];
  if (code && (ERRORS[code].status < 500 || code === 'F3_NOT_READY')) {
    reply.status(ERRORS[code].status).send({ code, message: error.message } satisfies Problem);
  } else if (known) {
    reply.status(known.status).send({ code: known.code, message: known.message } satisfies Problem);
  } else if (error.statusCode !== undefined && error.statusCode < 500) {
    const status = error.statusCode;
    const ofPath = error.validationContext === 'params' ? 'F3_REQUEST_PATH' : 'F3_REQUEST';
    const kind: ErrorCode = status === 429 ? 'F3_RATE_LIMIT' : ofPath;
    reply.status(status).send({ code: kind, message: `request: ${error.message}` } satisfies Problem);
  } else {
    request.log.error({ err: error }, 'request failed');
    const message = 'the coordinator failed; its log says why';
    reply.status(500).send({ code: 'F3_INTERNAL', message } satisfies Problem);
  }
}
