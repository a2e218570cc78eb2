// [wire] The link that opens the dashboard: the code stands behind #, which browsers send to nobody, so it is in no log.

/** Addresses that mean "everywhere on this machine", which no browser can open. */
const EVERYWHERE = /^(https?:\/\/)(0\.0\.0\.0|\[::\]|::)(?=[:/]|$)/;

export const dashboardUrl = (origin: string, code: string): string =>
  `${origin.replace(EVERYWHERE, '$1localhost')}/#code=${code}`;
