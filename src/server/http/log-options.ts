// [coordinator] Logs what happened as JSON lines and leaves out what must not be kept: tokens, codes, keys, embeddings.
import type { FastifyServerOptions } from 'fastify';

/** Where JSON lines of what happened go. */
export interface LogOptions {
  /** The least level that is logged: trace, debug, info, warn, error or fatal. */
  level: string;
  /** Takes the lines, such as `process.stderr`. */
  stream: { write(line: string): void };
}

/** Fastify logs method, path and status of a request, but no headers and no body. Values inside errors are cut here. */
export const logOptions = ({ level, stream }: LogOptions): Exclude<FastifyServerOptions['logger'], undefined> => ({
  level,
  stream,
  redact: ['req.headers', 'headers', 'body'],
  serializers: { err: withoutValues },
});

/** Database drivers attach the statement and its values to their errors, and a value may be an embedding or a key. */
function withoutValues(error: Error & { code?: unknown }) {
  const { name, message, stack = '', code } = error;
  return { type: name, message, stack, ...(typeof code === 'string' && { code }) };
}
