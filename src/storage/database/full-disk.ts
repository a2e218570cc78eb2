// [coordinator] Tells whether an error means that the disk is full, of the system or of a PostgreSQL server.

const CODES = ['ENOSPC', 'EDQUOT', '53100'];

export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message, cause } = error as Error & { code?: unknown };
  if (CODES.includes(String(code)) || /no space left on device|disk quota exceeded/i.test(message)) return true;
  return cause !== undefined && isFullDisk(cause);
}
