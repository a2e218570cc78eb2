// [coordinator] Trainings as a state machine: queued → running → done, failed or cancelled.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import type { TrainingPhase } from '../exchange/messages.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db, JsonObject, TrainingRow } from './schema.ts';

export interface NewTraining {
  federation: string;
  /** Name of the member who asked for it. */
  requestedBy: string;
  /** Id of that member. */
  askedBy?: string | undefined;
  /** Which parts are told of; they are known later. */
  disclosure?: JsonObject | undefined;
  options: JsonObject;
}

/** A worker's hold on a training. It ends when another worker takes over. */
export interface TrainingRun {
  id: string;
  attempt: number;
}

export function createTraining(
  db: Db,
  { federation, requestedBy, askedBy, disclosure, options }: NewTraining,
): Promise<TrainingRow> {
  const asked = { federation, requestedBy, askedBy: askedBy ?? null, options: JSON.stringify(options) };
  return db
    .insertInto('trainings')
    .values({
      id: randomUUID(),
      ...asked,
      ...(disclosure && { disclosure: JSON.stringify(disclosure) }),
      turn: nextTurn(federation),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Start-time fair queueing (Goyal et al. 1996) with trainings of equal cost: one turn after the last of the same federation,
 * and not before the turn that has begun last anywhere. So a federation that asks for its first training is next, however
 * many others have queued, and one that was idle saves up nothing. What was cancelled before it began took no turn.
 */
const nextTurn = (federation: string) => sql<number>`greatest(
  (select coalesce(max(turn), 0) from trainings where started is not null),
  (select coalesce(max(turn) + 1, 0) from trainings
    where federation = ${federation} and (started is not null or status = 'queued'))
)`;

export function findTraining(db: Db, id: string): Promise<TrainingRow | undefined> {
  return db.selectFrom('trainings').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function requireTraining(db: Db, id: string): Promise<TrainingRow> {
  const training = await findTraining(db, id);
  if (training) return training;
  throw new F3Error('F3_TRAINING_UNKNOWN', `training ${id}: must exist, got an unknown one`);
}

/** How a training stands, without its plan: that may name every sample. */
const STATE = [
  'id',
  'federation',
  'requestedBy',
  'status',
  'progress',
  'modelVersion',
  'promotion',
  'error',
  'created',
  'started',
  'finished',
  'disclosure',
  'worker',
] as const satisfies (keyof TrainingRow)[];
/** How a training stands. */
export interface TrainingSummary extends Pick<TrainingRow, (typeof STATE)[number]> {
  /** Its place among all that wait, over all federations, from 1; null once it has begun. */
  place: number | null;
}

/** In the order in which workers take trainings. */
const place = sql<number | null>`case when status = 'queued' then (select count(*)::int from trainings other
  where other.status = 'queued' and (other.turn, other.created) <= (trainings.turn, trainings.created)) end`.as(
  'place',
);

/** A training as somebody watches it, with its losses by epoch. */
export type WatchedTraining = TrainingSummary & Pick<TrainingRow, 'curve'>;

export function findWatchedTraining(db: Db, id: string): Promise<WatchedTraining | undefined> {
  return db.selectFrom('trainings').select(STATE).select([place, 'curve']).where('id', '=', id).executeTakeFirst();
}

/** A training in a list: how it stands, and what of its plan people tell trainings apart by. */
export interface PlannedTraining extends TrainingSummary {
  method: string | null;
  isSearch: boolean;
  refits: string | null;
  fits: number | null;
  owners: number;
  labels: number;
}

/** Lists the newest first, those before `before` if that is given. */
export function listPlannedTrainings(
  db: Db,
  federation: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<PlannedTraining[]> {
  let query = db
    .selectFrom('trainings')
    .select(STATE)
    .select([
      sql<string | null>`options -> 'config' ->> 'method'`.as('method'),
      sql<boolean>`options -> 'search' is not null`.as('isSearch'),
      sql<string | null>`options -> 'refit' ->> 'owner'`.as('refits'),
      sql<number | null>`(options -> 'ensemble' ->> 'fits')::int`.as('fits'),
      sql<number>`coalesce(jsonb_array_length(options -> 'bundles'), 0)`.as('owners'),
      sql<number>`coalesce((options ->> 'labels')::int, 0)`.as('labels'),
      place,
    ])
    .where('federation', '=', federation);
  if (before !== undefined) {
    query = query.where(
      sql<boolean>`(created, id) < (select created, id from trainings where id = ${before} and federation = ${federation})`,
    );
  }
  return query.orderBy('created', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/**
 * Lists the newest, and all that wait or run, of which quotas allow few; the oldest first. Over time there may be any number of
 * trainings: one that is cancelled at once costs nobody anything.
 */
export async function listNewestTrainings(db: Db, federation: string, newest: number): Promise<TrainingSummary[]> {
  const listed = db.selectFrom('trainings').select(STATE).select(place).where('federation', '=', federation);
  const last = await listed.orderBy('created', 'desc').orderBy('id', 'desc').limit(newest).execute();
  const unfinished = listed.where('status', 'in', ['queued', 'running']).orderBy('created').orderBy('id');
  const known = new Set(last.map(({ id }) => id));
  const older = (await unfinished.execute()).filter(({ id }) => !known.has(id));
  return [...older, ...last.reverse()];
}

/** How many trainings of all federations wait and run. */
export async function countUnfinished(db: Db): Promise<{ queued: number; running: number }> {
  const rows = await db
    .selectFrom('trainings')
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .where('status', 'in', ['queued', 'running'])
    .groupBy('status')
    .execute();
  const of = (status: TrainingPhase) => rows.find((row) => row.status === status)?.count ?? 0;
  return { queued: of('queued'), running: of('running') };
}

/** Begins a training, or takes it over from a worker that died: whoever began last holds it. `worker`: its name. */
export async function startTraining(db: Db, id: string, worker: string | null = null): Promise<TrainingRow> {
  const training = await db
    .updateTable('trainings')
    .set((row) => ({
      status: 'running',
      attempt: row('attempt', '+', 1),
      worker,
      started: row.fn.coalesce('started', row.val(new Date())),
    }))
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
  return training ?? refuse(db, id, 'queued or running');
}

/** Gives true when somebody wants the training cancelled. */
export async function reportProgress(
  db: Db,
  run: TrainingRun,
  progress: JsonObject,
  curve: readonly JsonObject[] = [],
): Promise<boolean> {
  const row = await held(db, run)
    .set({ progress: JSON.stringify(progress), ...(curve.length > 0 && { curve: JSON.stringify(curve) }) })
    .returning('cancelRequested')
    .executeTakeFirst();
  return row ? row.cancelRequested : refuse(db, run.id, 'running and in the hands of this worker');
}

/** Whether somebody wants the training of this worker cancelled. */
export async function isCancelRequested(db: Db, { id, attempt }: TrainingRun): Promise<boolean> {
  const row = await db
    .selectFrom('trainings')
    .select('cancelRequested')
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  return row?.cancelRequested ?? false;
}

/** Called in the transaction that adds the model, so that there is never one without the other. */
export const finishTraining = (
  db: Db,
  run: TrainingRun,
  modelVersion: number,
  promotion: JsonObject,
): Promise<TrainingRow> => end(db, run, { status: 'done', modelVersion, promotion: JSON.stringify(promotion) });

export const failTraining = (
  db: Db,
  run: TrainingRun,
  error: { code: string; message: string },
): Promise<TrainingRow> => end(db, run, { status: 'failed', error: JSON.stringify(error) });

/**
 * Holds the training until the transaction ends: until then no other worker takes it over, and nobody cancels it. Gives true
 * when somebody wanted it cancelled before.
 */
export async function holdTraining(trx: Db, { id, attempt }: TrainingRun): Promise<boolean> {
  const row = await trx
    .selectFrom('trainings')
    .select('cancelRequested')
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('attempt', '=', attempt)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ? row.cancelRequested : refuse(trx, id, 'running and in the hands of this worker');
}

/** Called by the worker after it has seen that it shall stop. */
export const endCancelled = (db: Db, run: TrainingRun): Promise<TrainingRow> => end(db, run, { status: 'cancelled' });

/** A queued training ends at once; the worker of a running one is told. It may be cancelled more than once. */
export function cancelTraining(db: Db, id: string): Promise<TrainingRow> {
  return inTransaction(db, async (trx) => {
    const training = await trx.selectFrom('trainings').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
    if (!training || training.status === 'done' || training.status === 'failed') {
      return refuse(trx, id, 'queued or running');
    }
    if (training.status === 'cancelled') return training;
    // Nobody will ask for the lists of a training that never began, and they may be as long as a request.
    const change =
      training.status === 'queued'
        ? { status: 'cancelled' as const, finished: new Date(), options: sql<string>`options - 'packed'` }
        : {};
    return trx
      .updateTable('trainings')
      .set({ ...change, cancelRequested: true })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** An update that only the worker who holds the training can make. */
const held = (db: Db, { id, attempt }: TrainingRun) =>
  db.updateTable('trainings').where('id', '=', id).where('status', '=', 'running').where('attempt', '=', attempt);

interface End {
  status: TrainingPhase;
  modelVersion?: number;
  promotion?: string;
  error?: string;
}

async function end(db: Db, run: TrainingRun, change: End): Promise<TrainingRow> {
  const training = await held(db, run)
    .set({ ...change, finished: new Date() })
    .returningAll()
    .executeTakeFirst();
  return training ?? refuse(db, run.id, 'running and in the hands of this worker');
}

async function refuse(db: Db, id: string, rule: string): Promise<never> {
  const { status, attempt } = await requireTraining(db, id);
  throw new F3Error('F3_TRAINING_STATE', `training ${id}: must be ${rule}, got ${status} (attempt ${attempt})`);
}
