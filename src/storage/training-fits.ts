// [coordinator] Fits that a training has finished on its way to one model, by name.
import { deleteBlob, readBlob, writeBlob } from './blobs.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db } from './schema.ts';
import { holdTraining, type TrainingRun } from './trainings.ts';

/** A fit is kept once. Throws once another worker has taken over. */
export function saveTrainingFit(db: Db, run: TrainingRun, name: string, bytes: Uint8Array): Promise<void> {
  return inTransaction(db, async (trx) => {
    await holdTraining(trx, run);
    const blob = await writeBlob(trx, bytes);
    await trx.insertInto('trainingFits').values({ training: run.id, name, blob }).execute();
  });
}

export async function loadTrainingFits(db: Db, training: string): Promise<Map<string, Uint8Array>> {
  const rows = await db.selectFrom('trainingFits').select(['name', 'blob']).where('training', '=', training).execute();
  const fits = new Map<string, Uint8Array>();
  for (const { name, blob } of rows) fits.set(name, await readBlob(db, blob));
  return fits;
}

/** Called when the training has ended. */
export function deleteTrainingFits(db: Db, training: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const gone = await trx.deleteFrom('trainingFits').where('training', '=', training).returning('blob').execute();
    for (const { blob } of gone) await deleteBlob(trx, blob);
  });
}
