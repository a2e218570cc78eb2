// What a key holder allows, apart from its application, so that the help text of the command line loads nothing else.

/** What a key holder allows. */
export interface KeyHolderLimits {
  /** Most ids of one member in a day (UTC): whoever may ask without end could try every id there may be. */
  idsPerDay: number;
  /** Most ids in one request. */
  batch: number;
  /** Most requests that are computed at a time; others are asked to come back. */
  underWay: number;
  /** Attempts to join per minute and address. */
  joinsPerMinute: number;
}

export const KEY_HOLDER_LIMITS: KeyHolderLimits = { idsPerDay: 250_000, batch: 500, underWay: 16, joinsPerMinute: 20 };
