// [wire] Reads an Arrow table from bytes that somebody else wrote, and turns what apache-arrow throws into our errors.
import type { Table } from 'apache-arrow';
import { decodeArrow } from '../../base/arrow-table.ts';
import { type ErrorCode, F3Error } from '../../errors.ts';
import { checkArrow } from './arrow-messages.ts';

/** `name` stands in messages; `code` is that of bytes which apache-arrow cannot read. */
export function readArrow<T>(
  bytes: Uint8Array,
  name: string,
  read: (table: Table) => T,
  code: ErrorCode = 'F3_BUNDLE_FORMAT',
): T {
  // apache-arrow may read spoilt bytes for ever, and with it the whole coordinator.
  checkArrow(bytes, name);
  try {
    return read(decodeArrow(bytes));
  } catch (cause) {
    if (cause instanceof F3Error) throw cause;
    const [reason] = (cause as Error).message.split('\n');
    throw new F3Error(code, `${name}: must be a sound Arrow IPC file or stream, got ${reason}`, { cause });
  }
}
