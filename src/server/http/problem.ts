// [coordinator] Turns errors into answers: {code, message} with the status from src/errors.ts, and no internal details.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode, errorCode } from '../../errors.ts';
import { isFullDisk } from '../../storage/database/full-disk.ts';
import { isLostDatabase } from '../../storage/database/lost-database.ts';

export interface Problem {
  code: ErrorCode;
  message: string;
}

/** The coordinator's own troubles that a client should know, because they pass or because an operator can mend them. */
const TOLD: readonly ErrorCode[] = [
  'F3_BUSY',
  'F3_DISK_FULL',
  'F3_NOT_READY',
  'F3_SHARES_AWAY',
  'F3_SHARES_MISSING',
  'F3_SHARES_WRONG',
];
/** Seconds after which a client may try again. */
const RETRY_SECONDS = 1;

/** Fastify's own errors, in our words. */
const FASTIFY: Record<string, Refusal> = {
  FST_ERR_BAD_URL: { status: 400, code: 'F3_REQUEST_PATH', message: 'request: path must be written as URLs are' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, code: 'F3_REQUEST_SIZE', message: 'request: body must be smaller' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: 'F3_REQUEST', message: 'request: body is of an unknown type' },
};

interface Refusal extends Problem {
  status: number;
}

export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, ...problem } = refusalOf(error) ?? failureOf(error, request);
  // The Open Inference Protocol's clients look for this name.
  const named = request.url.startsWith('/v2') ? { error: problem.message } : {};
  if (status === 503) reply.header('retry-after', RETRY_SECONDS);
  reply.status(status).send({ ...problem, ...named });
}

/** An error that the client can correct, or has to wait for. */
function refusalOf(error: FastifyError): Refusal | undefined {
  const { message, statusCode: status = 500 } = error;
  const code = errorCode(error);
  if (code && (ERRORS[code].status < 500 || TOLD.includes(code))) return { status: ERRORS[code].status, code, message };
  if (Object.hasOwn(FASTIFY, error.code ?? '')) return FASTIFY[error.code];
  if (status >= 500) return undefined;
  const ofPath = error.validationContext === 'params' ? 'F3_REQUEST_PATH' : 'F3_REQUEST';
  return { status, code: status === 429 ? 'F3_RATE_LIMIT' : ofPath, message: `request: ${message}` };
}

function failureOf(error: FastifyError, { log }: FastifyRequest): Refusal {
  if (isLostDatabase(error)) {
    log.error({ err: error }, 'database lost');
    // Clients try again after this status. That is safe, because every request that creates something may be repeated.
    const message = 'coordinator: its database must answer, got no connection; try again';
    return { status: 503, code: 'F3_NOT_READY', message };
  }
  if (isFullDisk(error)) {
    log.error({ err: error }, 'disk full');
    const message = 'coordinator: its disk must have room, got a full one; its operator has to free some space';
    return { status: 507, code: 'F3_DISK_FULL', message };
  }
  log.error({ err: error }, 'request failed');
  return { status: 500, code: 'F3_INTERNAL', message: 'the coordinator failed; its log says why' };
}
