// [wire] The paths of a federation's routes.

export const pathOf = (federation: string, ...parts: string[]): string =>
  ['/v1/federations', ...[federation, ...parts].map(encodeURIComponent)].join('/');

/** Null stands for the server's own log. */
export const auditPath = (federation: string | null): string =>
  federation === null ? '/v1/audit' : pathOf(federation, 'audit');
