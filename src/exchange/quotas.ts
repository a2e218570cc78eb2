// [wire] How much of a coordinator one member and one federation may take: names, defaults and what each counts.

const GIB = 2 ** 30;

/** A quota as it is explained to people. */
interface QuotaKind {
  /** What holds unless an operator of the whole coordinator says otherwise. */
  readonly standard: number;
  /** Whether it counts bytes, which people read in other units. */
  readonly isBytes?: boolean;
  /** What is counted. */
  readonly says: string;
}

/** Every quota by name. */
export const QUOTAS = {
  memberBytes: {
    standard: 20 * GIB,
    isBytes: true,
    says: 'bytes that a member has sent and that are kept, uploads under way included',
  },
  federationBytes: {
    standard: 100 * GIB,
    isBytes: true,
    says: 'bytes of all bundles, labels, models, uploads under way and long plans of trainings of a federation',
  },
  memberVersions: { standard: 1000, says: 'versions of its bundle or labels that a member keeps' },
  memberQueued: { standard: 50, says: 'trainings of a member that wait' },
  federationQueued: { standard: 200, says: 'trainings of a federation that wait' },
  federationRunning: { standard: 4, says: 'trainings of a federation that run at the same time, over all workers' },
  memberLive: { standard: 1000, says: 'live samples of a member that wait for other owners, per coordinator process' },
  federationLive: { standard: 10_000, says: 'live requests of a federation that wait, per coordinator process' },
} as const satisfies Record<string, QuotaKind>;

/** The name of a quota. */
export type QuotaName = keyof typeof QUOTAS;
/** The most that may be taken, by quota. */
export type Quotas = Record<QuotaName, number>;

export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** What holds where nobody has said otherwise. */
export const STANDARD_QUOTAS: Quotas = Object.fromEntries(
  QUOTA_NAMES.map((name) => [name, QUOTAS[name].standard]),
) as Quotas;

/** How much of a quota is taken. */
export interface QuotaUsage {
  quota: QuotaName;
  /** The most that may be taken. */
  most: number;
  /** What is taken now; of a quota per member, by the member that has taken the most. */
  used: number;
  /** That member. */
  member?: string;
}
