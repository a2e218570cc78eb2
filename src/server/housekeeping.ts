// [coordinator] Deletes what nobody will ask for again: expired live embeddings, abandoned uploads, old keys, invitations, sessions.
import { removeOldCreations } from '../storage/creations.ts';
import type { Store } from '../storage/database/open-database.ts';
import { removeOldInvitations } from '../storage/invitations.ts';
import { removeExpiredEmbeddings } from '../storage/live-embeddings.ts';
import { removeOldSessions } from '../storage/sessions.ts';
import { removeStaleUploads } from '../storage/uploads.ts';

const EVERY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** An owner whose network is down over a holiday still finds its upload. */
const UPLOAD_DAYS = 14;
/** An operator still sees an expired invitation for this long, and so learns that nobody joined with it. */
const INVITATION_DAYS = 30;

export interface Housekeeping {
  close(): Promise<void>;
}

export function startHousekeeping({ db }: Store): Housekeeping {
  let last = Promise.resolve();
  // A failure here needs no report: requests that use the database fail in the same way and report it.
  const timer = setInterval(() => {
    last = last.then(() => tidy({ db })).catch(() => undefined);
  }, EVERY_MS).unref();
  return {
    close: () => {
      clearInterval(timer);
      return last;
    },
  };
}

export async function tidy({ db }: Pick<Store, 'db'>, now = new Date()): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await removeExpiredEmbeddings(db, now);
  await removeStaleUploads(db, daysAgo(UPLOAD_DAYS));
  await removeOldCreations(db, daysAgo(1));
  await removeOldInvitations(db, daysAgo(INVITATION_DAYS));
  await removeOldSessions(db, daysAgo(1), now);
}
