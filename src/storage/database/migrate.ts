// [coordinator] Brings a database to this version's schema. Migrations are values, so that a bundled package has them.
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { F3Error } from '../../errors.ts';
import type { Db } from '../schema.ts';
import { auditChain } from './migrations/audit-chain.ts';
import { clock } from './migrations/clock.ts';
import { creationsTable } from './migrations/creations-table.ts';
import { deletedBundles } from './migrations/deleted-bundles.ts';
import { earlyTokens } from './migrations/early-tokens.ts';
import { federationTables } from './migrations/federation-tables.ts';
import { formerKeys } from './migrations/former-keys.ts';
import { inferenceTokens } from './migrations/inference-tokens.ts';
import { invitationIds } from './migrations/invitation-ids.ts';
import { labelRules } from './migrations/label-rules.ts';
import { modelCandidates } from './migrations/model-candidates.ts';
import { modelReports } from './migrations/model-reports.ts';
import { ownerCoordinates } from './migrations/owner-coordinates.ts';
import { quotas } from './migrations/quotas.ts';
import { revision } from './migrations/revision.ts';
import { revokedKeys } from './migrations/revoked-keys.ts';
import { sessions } from './migrations/sessions.ts';
import { shareCharters } from './migrations/share-charters.ts';
import { trainingFits } from './migrations/training-fits.ts';
import { trainingWorkers } from './migrations/training-workers.ts';
import { uploadVerdicts } from './migrations/upload-verdicts.ts';

/** They run in the order of their names. One that was released is never changed: a change is a new migration. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-federation-tables': federationTables,
  '0002-creations-table': creationsTable,
  '0003-revision': revision,
  '0004-model-candidates': modelCandidates,
  '0005-invitation-ids': invitationIds,
  '0006-deleted-bundles': deletedBundles,
  '0007-inference-tokens': inferenceTokens,
  '0008-upload-verdicts': uploadVerdicts,
  '0009-clock': clock,
  '0010-quotas': quotas,
  '0011-audit-chain': auditChain,
  '0012-label-rules': labelRules,
  '0013-former-keys': formerKeys,
  '0014-training-fits': trainingFits,
  '0015-sessions': sessions,
  '0016-share-charters': shareCharters,
  '0017-model-reports': modelReports,
  '0018-owner-coordinates': ownerCoordinates,
  '0019-training-workers': trainingWorkers,
  '0020-early-tokens': earlyTokens,
  '0021-revoked-keys': revokedKeys,
};

const TABLE = 'f3_migrations';

/**
 * Migrates wholly or not at all. Several processes may do this at once: the first one works, the others wait. With `upTo` later
 * migrations are left out, for a backup that an older version made.
 */
export async function migrate(db: Db, upTo?: string): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrationsUpTo(upTo) },
    migrationTableName: TABLE,
    migrationLockTableName: 'f3_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (!error) return;
  const unknown = await unknownMigration(db).catch(() => undefined);
  if (!unknown) throw error;
  const rule = 'must have been made by this version of f3 or an older one';
  throw new F3Error('F3_STORAGE_VERSION', `database: ${rule}, got migration ${unknown}`, { cause: error });
}

const migrationsUpTo = (last?: string): Record<string, Migration> =>
  Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => last === undefined || name <= last));

/** Names of the migrations that a database has had, in their order; none if it is not f3's. */
export async function listMigrations(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    table: string | null;
  }>`select to_regclass('public.f3_migrations')::text as table`.execute(db);
  if (rows[0].table === null) return [];
  const done = await sql<{ name: string }>`select name from ${sql.table(TABLE)} order by name`.execute(db);
  return done.rows.map(({ name }) => name);
}

async function unknownMigration(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)} order by name`.execute(db);
  return rows.map(({ name }) => name).findLast((name) => !Object.hasOwn(MIGRATIONS, name));
}
