// [coordinator] What the check of an upload's content found. A verdict is kept, so that no content is checked twice: what was
// refused stays refused, after a restart too.
import { VERSION } from '../base/version.ts';
import { ERRORS, type ErrorCode, errorCode, F3Error } from '../errors.ts';
import { deleteBlob } from './blobs.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db, JsonObject, UploadRow } from './schema.ts';

/** The content is sound and holds this, or is refused for this reason. */
export type UploadVerdict =
  | { summary: JsonObject }
  | {
      refusal: { code: ErrorCode; message: string };
      /** The rules that refused it: others may let it pass. */
      by: string;
    };

/** A process that dies during so many checks of one upload died of its content, and not by chance. */
const MOST_CHECKS = 20;
/** So many refusals of one member are remembered. */
const MOST_REFUSALS = 100;

/** By default the version of f3 stands for its rules. */
const RULES = VERSION;

/** Called before a check: gives the verdict if there is one, or if the upload has ended too many processes. */
export async function beginCheck(db: Db, id: string, kind: string, rules = RULES): Promise<UploadVerdict | undefined> {
  const begun = await db
    .updateTable('uploads')
    .set((row) => ({ checks: row('checks', '+', 1) }))
    .where('id', '=', id)
    .returning(['checks', 'verdict'])
    .executeTakeFirst();
  if (begun?.verdict) return begun.verdict;
  if (!begun || begun.checks <= MOST_CHECKS) return undefined;
  const rule = `its check must end, got ${MOST_CHECKS} that did not`;
  return storeVerdict(db, id, { error: new F3Error('F3_UPLOAD_LIMIT', `${kind}: ${rule}`) }, rules);
}

/** Called when a check has ended without a verdict, and not with its process: nothing of it counts against the upload. */
export async function forgetChecks(db: Db, id: string): Promise<void> {
  await db.updateTable('uploads').set({ checks: 0 }).where('id', '=', id).execute();
}

/**
 * Keeps what a check found. Of content that is refused the bytes are deleted. Bytes other than those that were announced are
 * no verdict on the content: they are discarded, so that the right ones can be sent. Failures of ours are thrown on.
 */
export async function storeVerdict(
  db: Db,
  id: string,
  found: { summary: JsonObject } | { error: unknown },
  rules = RULES,
): Promise<UploadVerdict> {
  if ('summary' in found) {
    await db
      .updateTable('uploads')
      .set({ verdict: JSON.stringify(found), checks: 0 })
      .where('id', '=', id)
      .execute();
    return found;
  }
  const { error } = found;
  const code = errorCode(error);
  if (!code || ERRORS[code].status >= 500) throw error;
  // A message may quote what was sent, and a database keeps neither NUL nor halves of characters.
  const message = (error as Error).message.replaceAll('\0', '\uFFFD').toWellFormed();
  const verdict = { refusal: { code, message }, by: rules };
  if (code === 'F3_UPLOAD_HASH') {
    // Its bytes may be others because it was discarded during the check, for a newer one.
    if (!(await discardUpload(db, id))) throw unknownUpload(id);
  } else await refuse(db, id, verdict);
  return verdict;
}

function refuse(db: Db, id: string, verdict: UploadVerdict): Promise<void> {
  return inTransaction(db, async (trx) => {
    const refused = await trx
      .updateTable('uploads')
      .set({ state: 'refused', verdict: JSON.stringify(verdict), touched: new Date() })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returning(['blob', 'member'])
      .executeTakeFirst();
    if (!refused) return;
    await trx.deleteFrom('blobChunks').where('blob', '=', refused.blob).execute();
    await forgetOldRefusals(trx, refused.member);
  });
}

/** Keeps a member that sends refused content without end from filling the disk with refusals. */
async function forgetOldRefusals(trx: Db, member: string): Promise<void> {
  const old = await trx
    .selectFrom('uploads')
    .select('id')
    .where('member', '=', member)
    .where('state', '=', 'refused')
    .orderBy('touched', 'desc')
    .offset(MOST_REFUSALS)
    .execute();
  for (const { id } of old) await discardUpload(trx, id);
}

/** Throws the refusal, if it is one. */
export function summaryOf(verdict: UploadVerdict): JsonObject {
  if ('summary' in verdict) return verdict.summary;
  const { code, message } = verdict.refusal;
  throw new F3Error(code, message);
}

/** Whether the content may be sent and checked anew, because other rules refused it. */
export const isOutdated = ({ state, verdict }: UploadRow, rules = RULES): boolean =>
  state === 'refused' && verdict !== null && 'by' in verdict && verdict.by !== rules;

export const unknownUpload = (id: string): F3Error =>
  new F3Error('F3_UPLOAD_UNKNOWN', `upload ${id}: must exist, got an unknown one`);

/** Discards an upload that does not count; others stay. Says whether there was one. */
export function discardUpload(db: Db, id: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const gone = await trx
      .deleteFrom('uploads')
      .where('id', '=', id)
      .where('state', '<>', 'complete')
      .returning('blob')
      .executeTakeFirst();
    if (gone) await deleteBlob(trx, gone.blob);
    return gone !== undefined;
  });
}
