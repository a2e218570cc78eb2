// Says what a coordinator's database holds, so that two of them can be compared: every bundle, label set and model by the hash
// of its bytes, members, and the audit log.
import { createHash } from 'node:crypto';
import { readBlob } from '../../src/storage/blobs.ts';
import type { Db } from '../../src/storage/schema.ts';

export async function describeDatabase(db: Db) {
  const hashOf = async (blob: string) =>
    createHash('sha256')
      .update(await readBlob(db, blob))
      .digest('hex');
  const bundles = await db
    .selectFrom('bundles')
    .selectAll()
    .orderBy('federation')
    .orderBy('owner')
    .orderBy('version')
    .execute();
  const labelSets = await db.selectFrom('labelSets').selectAll().orderBy('federation').orderBy('version').execute();
  const models = await db.selectFrom('models').selectAll().orderBy('federation').orderBy('version').execute();
  const uploads = await db.selectFrom('uploads').selectAll().orderBy('id').execute();
  const audit = await db.selectFrom('audit').selectAll().orderBy('id').execute();
  return {
    federations: await db
      .selectFrom('federations')
      .select(['name', 'classes', 'activeModel'])
      .orderBy('name')
      .execute(),
    members: await db.selectFrom('members').select(['federation', 'owner', 'role', 'keyId']).orderBy('keyId').execute(),
    invitations: await db.selectFrom('invitations').select(['owner', 'codeHash']).orderBy('codeHash').execute(),
    tokens: await db.selectFrom('inferenceTokens').select(['name', 'hash']).orderBy('name').execute(),
    trainings: await db.selectFrom('trainings').select(['id', 'status', 'modelVersion']).orderBy('id').execute(),
    bundles: await Promise.all(
      bundles.map(async ({ owner, version, sha256, blob }) => ({ owner, version, sha256, bytes: await hashOf(blob) })),
    ),
    labelSets: await Promise.all(labelSets.map(async ({ version, blob }) => ({ version, bytes: await hashOf(blob) }))),
    models: await Promise.all(
      models.map(async ({ version, card, blob }) => ({ version, weights: card.weights, bytes: await hashOf(blob) })),
    ),
    uploads: await Promise.all(
      uploads.map(async ({ id, state, received, blob }) => ({ id, state, received, bytes: await hashOf(blob) })),
    ),
    audit: audit.map(({ id, at, federation, actor, action, details }) => ({
      id,
      at,
      federation,
      actor,
      action,
      details,
    })),
  };
}
