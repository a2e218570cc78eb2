// [coordinator] A body that was parsed and checked in a thread, because it is large: routes take its content, and no schema sees it again.

export class ReadBody {
  readonly content: unknown;

  constructor(content: unknown) {
    this.content = content;
  }
}

/** Undefined for a body that was small enough to be parsed where requests are served. */
export const contentOf = <T>(body: unknown): T | undefined =>
  body instanceof ReadBody ? (body.content as T) : undefined;
