// [wire] Sessions of the dashboard: one-time codes, what a browser is told of its session, and the list of them.
import { z } from 'zod';

const time = z.iso.datetime();
const role = z.enum(['owner', 'labels', 'operator']);

/** The header that every request of the page other than GET carries, with the value `1`. No other site can make a browser send it. */
export const SESSION_HEADER = 'x-f3-session';
/** The header's value of a GET that the page sends by itself, now and then: it does not keep an idle session alive. */
export const BY_ITSELF = 'by-itself';

/** POST /v1/sessions/codes */
export const sessionCodeSchema = z.object({
  /** Good once; it is not shown again. The link to the page is the coordinator's address, `/#code=` and this. */
  code: z.string(),
  expires: time,
});
/** A one-time code that opens a session of the page. */
export type SessionCode = z.infer<typeof sessionCodeSchema>;

/** The body of POST /v1/sessions. */
export const sessionRequestSchema = z.strictObject({ code: z.string().min(1).max(200) });

/** POST /v1/sessions and GET /v1/session */
export const sessionSchema = z.object({
  id: z.uuid(),
  /** Name of the member whose session it is. */
  owner: z.string(),
  role,
  /** Null for an operator of the whole coordinator. */
  federation: z.string().nullable(),
  opened: time,
  /** When it ends, however much it is used. */
  expires: time,
  /** After so many seconds without a request it ends. */
  idleSeconds: z.number(),
  /** Version of f3 that the coordinator runs. */
  version: z.string(),
});
/** The session of whoever asks. */
export type Session = z.infer<typeof sessionSchema>;

/** GET /v1/sessions */
export const listedSessionSchema = z.object({
  id: z.uuid(),
  owner: z.string(),
  role,
  federation: z.string().nullable(),
  opened: time,
  /** To the minute. */
  lastUsed: time,
  expires: time,
  /** The address that it was opened from. */
  address: z.string().nullable(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
});
/** A session that has not ended, in a list. */
export type ListedSession = z.infer<typeof listedSessionSchema>;
export const sessionListSchema = z.object({ sessions: z.array(listedSessionSchema) });
