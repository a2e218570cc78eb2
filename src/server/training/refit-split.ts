// [coordinator] The split that a refit learns with: that of the training that made its model. It is found before the transaction that
// plans the refit, because labels may have millions of samples, and while they are read in a thread nobody should wait for the database.
import { F3Error } from '../../errors.ts';
import { readBlob } from '../../storage/blobs.ts';
import { findFederation } from '../../storage/federations.ts';
import { latestLabelSet, requireLabelSet } from '../../storage/label-sets.ts';
import { requireModel } from '../../storage/models.ts';
import type { Db } from '../../storage/schema.ts';
import { requireTraining } from '../../storage/trainings.ts';
import type { RequestThread } from '../requests/request-thread.ts';
import type { KeptSplit, PlanLists } from './plan-lists.ts';
import { refusal } from './plan-refit.ts';
import { splitFacts } from './split-digest.ts';
import type { TrainingPlan } from './training-plan.ts';
import type { ReadTraining } from './training-request.ts';

export class RefitSplit {
  readonly #model: number;
  readonly #labels: number;
  readonly #found: KeptSplit | Error;

  private constructor(model: number, labels: number, found: KeptSplit | Error) {
    this.#model = model;
    this.#labels = labels;
    this.#found = found;
  }

  /** Undefined where no refit is asked for. What is wrong with the split is told by `take`, after all that is told before. */
  static async find(
    db: Db,
    name: string,
    { options: { refit }, lists, split }: ReadTraining,
    asker: string,
    requests: RequestThread,
  ): Promise<RefitSplit | undefined> {
    if (!refit) return undefined;
    const model = refit.model ?? (await findFederation(db, name))?.activeModel ?? 0;
    const newest = (await latestLabelSet(db, name))?.version ?? 0;
    const given = split === undefined ? undefined : lists;
    const question = { federation: name, owner: refit.owner, model, newest, given };
    const found = await splitFor(db, question, (asked) => requests.refitSplit(asker, asked)).catch(
      (error: Error) => error,
    );
    return new RefitSplit(model, newest, found);
  }

  /** Throws if another model or other labels count by now. */
  take(model: number, labels: number): KeptSplit {
    if (this.#found instanceof Error) throw this.#found;
    if (this.#model === model && this.#labels === labels) return this.#found;
    throw new F3Error('F3_BUSY', 'training: model and labels must stay the same meanwhile, got newer ones; try again');
  }
}

interface SplitQuestion {
  federation: string;
  owner: string;
  /** Version of the model. */
  model: number;
  /** Version of the labels that count now. */
  newest: number;
  /** If it is given, it must be the model's own. */
  given: PlanLists | undefined;
}

/** What a thread is asked. */
export interface RefitSplitQuestion {
  owner: string;
  given?: PlanLists | undefined;
  own?: PlanLists | undefined;
  labels?: { bytes: Uint8Array; name: string; classes: string[] | undefined };
  /** Whether these labels still count. */
  isNewest?: boolean;
}

/**
 * A random split was drawn from the samples that had labels then. If there are other labels now, the same seed would draw other
 * parts, so the ids of each part are stated instead.
 */
async function splitFor(
  db: Db,
  { federation, owner, model: version, newest, given }: SplitQuestion,
  ask: (question: RefitSplitQuestion) => Promise<KeptSplit>,
): Promise<KeptSplit> {
  const model = await requireModel(db, federation, version);
  const training = model.training === null ? undefined : await requireTraining(db, model.training);
  const plan = training?.options as unknown as TrainingPlan | undefined;
  if (!plan) {
    if (given) return ask({ owner, given });
    throw refusal(owner, `the split must be named, for model ${version} of ${federation} has none on record`, 'none');
  }
  const own = { split: plan.split, packed: plan.packed };
  // Plans that an older version of f3 made have ids, and not what is known of them.
  if (!given && plan.labels === newest) return { lists: own, facts: plan.parts ?? splitFacts(plan.split ?? 0) };
  const { blob } = await requireLabelSet(db, federation, plan.labels);
  const labels = { bytes: await readBlob(db, blob), name: `labels version ${plan.labels}`, classes: plan.classes };
  return ask({ owner, given, own, labels, isNewest: plan.labels === newest });
}
