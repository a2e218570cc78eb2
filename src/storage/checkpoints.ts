// [coordinator] Where a training stands: the newest checkpoint of each learning rate.
import { deleteBlob, readBlob, writeBlob } from './blobs.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db } from './schema.ts';
import { holdTraining, type TrainingRun } from './trainings.ts';

/** Replaces the checkpoint before, whole. Throws once another worker has taken over. */
export function saveCheckpoint(db: Db, run: TrainingRun, learningRate: number, bytes: Uint8Array): Promise<void> {
  return inTransaction(db, async (trx) => {
    // A take-over waits until the transaction ends, and then finds this checkpoint.
    await holdTraining(trx, run);
    const before = await trx
      .selectFrom('checkpoints')
      .select('blob')
      .where('training', '=', run.id)
      .where('learningRate', '=', learningRate)
      .executeTakeFirst();
    const blob = await writeBlob(trx, bytes);
    await trx
      .insertInto('checkpoints')
      .values({ training: run.id, learningRate, blob })
      .onConflict((conflict) => conflict.columns(['training', 'learningRate']).doUpdateSet({ blob, saved: new Date() }))
      .execute();
    if (before) await deleteBlob(trx, before.blob);
  });
}

export async function loadCheckpoint(db: Db, training: string, learningRate: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('checkpoints')
    .select('blob')
    .where('training', '=', training)
    .where('learningRate', '=', learningRate)
    .executeTakeFirst();
  return row && readBlob(db, row.blob);
}

/** Called when the training has ended. */
export function deleteCheckpoints(db: Db, training: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const gone = await trx.deleteFrom('checkpoints').where('training', '=', training).returning('blob').execute();
    for (const { blob } of gone) await deleteBlob(trx, blob);
  });
}
