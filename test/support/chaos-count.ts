// Counts what a coordinator's database holds: all that was acknowledged, each whole and once, and nothing else.
import { sha256 } from '../../src/base/sha256.ts';
import { listAudit } from '../../src/storage/audit.ts';
import { readBlob } from '../../src/storage/blobs.ts';
import { listBundles } from '../../src/storage/bundles.ts';
import { type DatabaseLocation, openDatabase } from '../../src/storage/database/open-database.ts';
import { listModels } from '../../src/storage/models.ts';
import type { Db } from '../../src/storage/schema.ts';
import { listNewestTrainings } from '../../src/storage/trainings.ts';

export interface Acknowledged {
  /** Bundles of owner 0 in the federation `depot`, oldest first. */
  uploads: { version: number; sha256: string; size: number }[];
  /** So many of them, the oldest, were deleted again. */
  deleted: number;
  /** Ids of the trainings in the federation `grid` that were reported as done. */
  trainings: string[];
  /** SHA-256 of the weights that all of them must end with: those of the first, which nobody interrupted. */
  weights: string;
}

/** Opens the database of a coordinator that has ended. */
export async function countFaults(location: DatabaseLocation, acknowledged: Acknowledged): Promise<string[]> {
  const store = await openDatabase(location);
  try {
    const { db } = store;
    return [
      ...(await uploadFaults(db, acknowledged)),
      ...(await trainingFaults(db, acknowledged)),
      ...(await orphans(db)),
    ];
  } finally {
    await store.close();
  }
}

async function uploadFaults(db: Db, { uploads, deleted }: Acknowledged): Promise<string[]> {
  const bundles = await listBundles(db, 'depot');
  const stored = bundles.map(({ version, sha256, size }) => ({ version, sha256, size }));
  const rows = await db.selectFrom('uploads').selectAll().where('federation', '=', 'depot').execute();
  const audited = await auditOf(db, 'depot', 'bundle.received');
  const removed = await auditOf(db, 'depot', 'bundle.deleted');
  const kept = uploads.slice(deleted);
  const faults = [
    ...differences('bundles', kept, stored),
    ...differences('audit entries of bundles', uploads, audited),
    ...differences(
      'audit entries of deleted bundles',
      uploads.slice(0, deleted).map(({ version }) => version),
      removed.map(({ version }) => version),
    ),
    ...differences(
      'complete uploads',
      kept.map(({ version }) => version).sort(),
      rows.map(({ version }) => version).sort(),
    ),
  ];
  for (const { version, blob, sha256: wanted } of bundles) {
    const got = sha256(await readBlob(db, blob));
    if (got !== wanted) faults.push(`bundle version ${version} must be the bytes ${wanted}, got ${got}`);
  }
  return faults;
}

async function trainingFaults(db: Db, { trainings, weights }: Acknowledged): Promise<string[]> {
  const all = await listNewestTrainings(db, 'grid', 1_000_000);
  const models = await listModels(db, 'grid');
  const ids = all.map(({ id }) => id).sort();
  const asked = (await auditOf(db, 'grid', 'training.asked')).map(({ training }) => String(training)).sort();
  const trained = (await auditOf(db, 'grid', 'model.trained')).map(({ training, model }) => `${training}: ${model}`);
  const faults = [
    ...differences('trainings', [...trainings].sort(), ids),
    ...all.filter(({ status }) => status !== 'done').map(({ id, status }) => `training ${id} is left ${status}`),
    ...differences('audit entries of trainings', ids, asked),
    ...differences(
      'model versions',
      models.map((_, i) => i + 1),
      models.map(({ version }) => version),
    ),
    ...differences(
      'audit entries of models',
      models.map(({ training, version }) => `${training}: ${version}`),
      trained,
    ),
    ...differences(
      'models of trainings',
      all.map(({ id, modelVersion }) => `${id}: ${modelVersion}`).sort(),
      trained.sort(),
    ),
  ];
  for (const { version, blob, card } of models) {
    const got = sha256(await readBlob(db, blob));
    if (got !== weights || card.weights !== weights)
      faults.push(`model ${version} must have weights ${weights}, got ${got}`);
  }
  return faults;
}

/** Finds bytes that belong to nothing, and checkpoints of trainings that are over. */
async function orphans(db: Db): Promise<string[]> {
  const used = await Promise.all(
    (['uploads', 'bundles', 'labelSets', 'models', 'checkpoints'] as const).map((table) =>
      db.selectFrom(table).select('blob').execute(),
    ),
  );
  const known = new Set(used.flat().map(({ blob }) => blob));
  const blobs = await db.selectFrom('blobs').select('id').execute();
  const left = blobs.filter(({ id }) => !known.has(id)).length;
  const checkpoints = used[4].length;
  return [
    ...(left > 0 ? [`${left} blobs belong to nothing`] : []),
    ...(checkpoints > 0 ? [`${checkpoints} checkpoints are left`] : []),
  ];
}

async function auditOf(db: Db, federation: string, action: string): Promise<Record<string, unknown>[]> {
  const entries = await listAudit(db, { federation, limit: 1_000_000 });
  return entries.filter((entry) => entry.action === action).map(({ details }) => details);
}

function differences(what: string, wanted: readonly unknown[], got: readonly unknown[]): string[] {
  const texts = [wanted, got].map((list) => list.map((item) => JSON.stringify(sorted(item))));
  const at = texts[0].findIndex((text, i) => text !== texts[1][i]);
  if (at < 0 && wanted.length === got.length) return [];
  const place = at < 0 ? wanted.length : at;
  return [
    `${what}: ${wanted.length} wanted, ${got.length} there; number ${place} must be ${texts[0][place]}, got ${texts[1][place]}`,
  ];
}

/** The database keeps the members of jsonb in an order of its own. */
const sorted = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)) : item;
