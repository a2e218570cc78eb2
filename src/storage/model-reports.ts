// [coordinator] What was found out about a model after it was trained, kept with the model.
import type { Db, JsonObject } from './schema.ts';

export async function findModelReport(
  db: Db,
  federation: string,
  version: number,
  kind: string,
): Promise<JsonObject | undefined> {
  const row = await db
    .selectFrom('modelReports')
    .select('report')
    .where('federation', '=', federation)
    .where('version', '=', version)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.report;
}

/** Replaces an earlier report of the same kind. */
export async function putModelReport(
  db: Db,
  { federation, version, kind }: { federation: string; version: number; kind: string },
  report: JsonObject,
): Promise<void> {
  const text = JSON.stringify(report);
  await db
    .insertInto('modelReports')
    .values({ federation, version, kind, report: text })
    .onConflict((conflict) => conflict.columns(['federation', 'version', 'kind']).doUpdateSet({ report: text }))
    .execute();
}
