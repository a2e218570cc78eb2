// The epochs that the coordinator kept of a training, for pages that were opened late and runs that ended long ago.
import { ask, inFederation } from '../../coordinator/request.ts';
import type { Epoch } from './training-trace.ts';

interface KeptEpoch {
  epoch: number;
  trainLoss: number | null;
  validationLoss: number | null;
}

/** Nothing where the coordinator kept none, or may not tell. */
export async function keptEpochs(federation: string, id: string): Promise<Epoch[]> {
  const { curve = [] } = await ask<{ curve?: KeptEpoch[] }>(inFederation(federation, 'trainings', id)).catch(
    (): { curve?: KeptEpoch[] } => ({}),
  );
  let fit = 0;
  return curve.map(({ epoch, trainLoss, validationLoss }, at) => {
    if (at > 0 && epoch <= curve[at - 1].epoch) fit++;
    return { fit, epoch, trainLoss, validationLoss };
  });
}
