// [coordinator] Whether an error says that the database is away: not a fault of the request, and over when it is back.

/** Of the system, when a line breaks or cannot be made. */
const LINE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
];
/** SQLSTATE: connection exception (08), shutting down or starting (57P), too many connections (53300), idle too long (25P03). */
const STATE = /^(08...|57P0[1-5]|53300|25P03)$/;
/** What pg says without a code. */
const TEXT = /^Connection terminated|^timeout exceeded when trying to connect|is not queryable$/;

export function isLostDatabase(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isLostDatabase);
  if (!(error instanceof Error)) return false;
  const { code, message } = error as Error & { code?: unknown };
  return typeof code === 'string' ? LINE.includes(code) || STATE.test(code) : TEXT.test(message);
}
