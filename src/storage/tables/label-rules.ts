// [coordinator] Tables of what label holders ask of trainings on their labels, and of what was told of them.
import type { ColumnType, JSONColumnType, Selectable } from 'kysely';
import type { LabelRules } from '../../exchange/label-access.ts';
import type { Bytes } from './column-kinds.ts';

/** What a label holder, by the id of its member, asks of trainings on its labels. */
export interface LabelRulesTable {
  holder: string;
  rules: JSONColumnType<Partial<LabelRules>>;
}

/** What a label holder allows single members. */
export interface LabelGrantsTable {
  holder: string;
  member: string;
  trainings: number;
  anySplit: boolean;
  exactScores: boolean;
  granted: ColumnType<Date, Date | undefined, Date>;
}

/** Sets of samples that scores were told of. */
export interface ScoredPartsTable {
  holder: string;
  sha256: string;
  /** Eight bytes per sample, in ascending order. */
  ids: Bytes;
}

/** A secret per federation, for hashes that depend on labels. */
export interface LabelKeysTable {
  federation: string;
  key: ColumnType<string, never, never>;
}

export type LabelGrantRow = Selectable<LabelGrantsTable>;
