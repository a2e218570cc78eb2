// [coordinator] Has entities forget what they keep of a training that is over: its checkpoints, and its model where there is none.
import { checkpointNames, modelName } from '../../fuse/on-shares/train-on-shares.ts';
import { EntityLines } from '../../shares/desk/entity-lines.ts';
import type { Db } from '../../storage/schema.ts';
import { openCharter } from './share-desk.ts';

/** An entity that is away keeps some kilobytes that nobody can use; that is no reason to fail. */
export async function forgetWeights(
  db: Db,
  federation: string,
  training: string,
  { model }: { model: boolean },
): Promise<void> {
  const open = await openCharter(db, federation);
  if (!open) return;
  const { charter, certified } = open;
  const lines = new EntityLines({ charter, certified });
  const names = [...checkpointNames(training), ...(model ? [modelName(training)] : [])];
  await Promise.all(
    charter.entities.map((_, i) => lines.ask(i + 1, 'forget', { facts: { names } }).catch(() => undefined)),
  );
  lines.close();
}
