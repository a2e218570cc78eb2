// [coordinator] Which former keys were said to be in other hands. Others ended because their time was over.
import { statementsMigration } from '../statements-migration.ts';

export const revokedKeys = statementsMigration([`alter table former_keys add column revoked timestamptz`]);
