// [coordinator] Lists trainings, the newest first, with what each learns and where it stands.
import { z } from 'zod';
import { type TrainingEntry, trainingListSchema } from '../../exchange/messages/training-list.ts';
import { requireFederation } from '../../storage/federations.ts';
import { holdersToldExactly } from '../../storage/label-rules.ts';
import { listPlannedTrainings, type PlannedTraining } from '../../storage/trainings.ts';
import { countWorkers } from '../../storage/workers.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { toldProgress } from '../training/disclosure.ts';
import { configOf } from '../training/training-plan.ts';
import { federationParams } from './federations.ts';

const READERS = ['operator', 'labels'] as const;
const [LIMIT, MOST] = [50, 200];
/** Of a plan that leaves the method to its default. */
const { method: DEFAULT_METHOD } = configOf({ config: {}, split: 0, bundles: [], labels: 0 });

const querystring = z.object({
  limit: z.coerce.number().int().min(1).max(MOST).default(LIMIT),
  before: z.uuid().optional(),
});

export function addTrainingList(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/trainings',
    {
      schema: { params: federationParams, querystring, response: { 200: trainingListSchema } },
      config: { allow: READERS },
    },
    async ({ params: { federation }, query: { limit, before }, member }) => {
      await requireFederation(db, federation);
      const exact = await holdersToldExactly(db, member.id);
      // One more than is shown says whether there is another page.
      const found = await listPlannedTrainings(db, federation, { before, limit: limit + 1 });
      const shown = found.slice(0, limit);
      return {
        trainings: shown.map((training) => entryOf(training, exact, member.role === 'operator')),
        next: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
        workers: await countWorkers(db),
      };
    },
  );
}

function entryOf(training: PlannedTraining, exact: ReadonlySet<string>, isOperator: boolean): TrainingEntry {
  const { id, status, method, isSearch, refits, fits, owners, labels, requestedBy } = training;
  const { created, started, finished, place, modelVersion, promotion, error } = training;
  return {
    id,
    state: status,
    method: refits !== null ? 'refit' : isSearch ? 'search' : (method ?? DEFAULT_METHOD),
    fits,
    refits,
    owners,
    labels,
    requestedBy,
    created: created.toISOString(),
    started: started?.toISOString() ?? null,
    finished: finished?.toISOString() ?? null,
    progress: toldProgress(training, exact),
    place,
    worker: isOperator ? training.worker : null,
    model: modelVersion,
    promotion,
    error,
  };
}
