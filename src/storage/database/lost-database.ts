// [coordinator] Tells whether an error means that the database is away, which is no fault of the request and passes.

/** Codes of the system for a line that breaks or cannot be made. */
const LINE_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
];
/**
 * SQLSTATE of a connection exception (08), shutting down or starting (57P), too many connections (53300), idle too long (25P03).
 * Of two transactions that wait for each other the database ends one (40P01); that passes in the same way.
 */
const LOST_STATE = /^(08...|57P0[1-5]|53300|25P03|40P01)$/;
/** Messages of pg that come without a code. */
const LOST_MESSAGE = /^Connection terminated|^timeout exceeded when trying to connect|is not queryable$/;

export function isLostDatabase(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isLostDatabase);
  if (!(error instanceof Error)) return false;
  const { code, message } = error as Error & { code?: unknown };
  return typeof code === 'string' ? LINE_CODES.includes(code) || LOST_STATE.test(code) : LOST_MESSAGE.test(message);
}
