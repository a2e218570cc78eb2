// [wire] What a label holder lets others do with its labels: who may train, how often, on which parts, and what they are told.

/** Rules of a label holder, which hold for all of its label sets. */
export interface LabelRules {
  /** The fewest samples that a part (train, validation, test) may have. Sets that are told apart differ by as many. */
  smallestPart: number;
  /** The fewest samples of a part that are not of its most frequent class. */
  smallestClass: number;
  /** How often members without a grant may train on a label set, all of them together. */
  trainings: number;
  /** Who may train: operators and other label holders too, or only members with a grant. */
  open: 'trainers' | 'granted';
}

/** What holds until a label holder says otherwise. */
export const STANDARD_LABEL_RULES: LabelRules = { smallestPart: 10, smallestClass: 3, trainings: 50, open: 'trainers' };

/** What a label holder allows one member. */
export interface LabelGrant {
  /** How often the member may train on a label set. */
  trainings: number;
  /** Whether the member may split the samples in any way, and not only as the first training did. */
  anySplit: boolean;
  /** Whether the member is told scores and losses to the last digit. */
  exactScores: boolean;
}

/** A grant, and what was made of it. */
export interface ListedGrant extends LabelGrant {
  /** Name of the member. */
  member: string;
  /** How often it has trained on the labels that count. */
  used: number;
  granted: string;
}

/** GET /v1/federations/:f/labels/access */
export interface LabelAccess {
  /** Name of the label holder whose labels count, or would; null where there is none. */
  holder: string | null;
  /** Version of the labels that count; null: none were sent. */
  labels: number | null;
  rules: LabelRules;
  /** How often members without a grant have trained on these labels. */
  used: number;
  /** How those labels were split first, which binds whoever may not split them in any way. */
  split: { seed?: number; sha256?: string } | null;
  grants: ListedGrant[];
}
