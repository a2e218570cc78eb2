// [wire] A request that failed, and whether trying again can help.
import { type ErrorCode, F3Error } from '../../errors.ts';

/** A request that was refused, or that did not reach the coordinator. */
export class RequestFailure extends F3Error {
  /** Whether trying again cannot help. */
  readonly isFinal: boolean;
  /** Milliseconds that the coordinator wants us to wait. */
  readonly wait: number;

  constructor(
    code: ErrorCode,
    message: string,
    { isFinal, wait = 0, cause }: { isFinal: boolean; wait?: number; cause?: unknown },
  ) {
    super(code, message, { cause });
    this.isFinal = isFinal;
    this.wait = wait;
  }
}
