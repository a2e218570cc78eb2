// [coordinator] Every limit of a coordinator: one schema with names, defaults and purposes, for programs, `f3 serve` and documents.
import { z } from 'zod';
import { F3Error } from '../errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

const count = (low: number, standard: number, purpose: string) =>
  z.number().int().min(low).max(Number.MAX_SAFE_INTEGER).default(standard).describe(purpose);
const milliseconds = (standard: number, purpose: string) => count(1, standard, purpose);

export const serverLimitsSchema = z.strictObject({
  headersMs: milliseconds(
    10_000,
    'from the first byte to the last of the headers of a request, and for the TLS handshake',
  ),
  requestMs: milliseconds(60_000, 'for a whole request to arrive'),
  idleMs: milliseconds(120_000, 'for which a connection may stay silent in both directions'),
  checkMs: milliseconds(2000, 'between two looks for slow clients'),
  connections: count(1, 10_000, 'connections of all clients together'),
  connectionsPerAddress: count(1, 2000, "connections of one address, which behind a proxy is the proxy's"),
  bytesInFlight: count(8 * MIB, 256 * MIB, 'bytes of bodies that are being received or worked on'),
  bytesInFlightPerAddress: count(8 * MIB, 128 * MIB, 'the same of one address'),
  wrongCodesPerMinute: count(
    1,
    60,
    'wrong enrolment codes and wrong codes of the dashboard of one address, each; right ones are never counted',
  ),
  bundleBytes: count(KIB, GIB, 'bytes of a bundle'),
  labelBytes: count(KIB, 256 * MIB, 'bytes of a set of labels'),
  bundleRows: count(1, 5_000_000, 'samples of a bundle or a set of labels'),
  rowBytes: count(64, MIB, "bytes of a sample's embedding and class probabilities"),
  diskReserveBytes: count(0, 128 * MIB, 'bytes of the disk that uploads leave free, for the database to go on'),
  sessionIdleMs: milliseconds(30 * 60_000, 'for which a session of the dashboard may be idle before it ends'),
  sessionMs: milliseconds(12 * 3_600_000, 'for which a session of the dashboard may last, however much it is used'),
  questionMs: milliseconds(
    120_000,
    'that questions of one member to models may compute; half of the time that passes comes back',
  ),
  checksWaiting: count(1, 64, 'uploads that wait for the check of their content'),
  checkHeapMb: count(16, 512, 'megabytes of objects that a check of content may hold'),
});

/** What a coordinator allows before it refuses. Bytes are bytes, and names that end in Ms are milliseconds. */
export type ServerLimits = z.infer<typeof serverLimitsSchema>;
/** The name of a limit. */
export type LimitName = keyof ServerLimits;

export const DEFAULT_LIMITS: ServerLimits = serverLimitsSchema.parse({});

/** The names of all limits, in the order of the documents. */
export const LIMIT_NAMES = Object.keys(serverLimitsSchema.shape) as LimitName[];

/** What a limit is for, in words that follow "the most". */
export const purposeOfLimit = (name: LimitName): string => serverLimitsSchema.shape[name].description ?? '';

/** Completes what is given with the defaults, and refuses what breaks its rule. */
export function resolveLimits(given: Partial<ServerLimits> = {}): ServerLimits {
  const parsed = serverLimitsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [{ path, message, code }] = parsed.error.issues;
  const named =
    code === 'unrecognized_keys' ? `limit: must be one of ${LIMIT_NAMES.join(', ')}` : `limit ${path.join('.')}`;
  throw new F3Error('F3_OPTION', `${named}: ${message}`);
}

const UNITS: Record<string, number> = { '': 1, k: KIB, m: MIB, g: GIB };

/** Reads `name=value` as command lines and environment variables have it. A value may end in K, M or G, which are powers of 1024. */
export function parseLimit(text: string): Partial<ServerLimits> {
  const [, name = '', digits, unit = ''] = /^\s*(\w+)\s*=\s*(\d+)\s*([kmg]?)(?:i?b)?\s*$/i.exec(text) ?? [];
  if (digits === undefined) throw new F3Error('F3_OPTION', `limit: must be name=number, got ${JSON.stringify(text)}`);
  if (!LIMIT_NAMES.includes(name as LimitName)) {
    throw new F3Error('F3_OPTION', `limit: must be one of ${LIMIT_NAMES.join(', ')}, got ${name}`);
  }
  return { [name]: Number(digits) * UNITS[unit.toLowerCase()] };
}
