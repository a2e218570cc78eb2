// [wire] What federations there are, and what is in one.

import type { AppliedPrivacy } from '../bundle/applied-privacy.ts';
import type { Coordinates } from '../coordinates.ts';
import type { QuotaUsage } from '../quotas.ts';
import type { AnswerObject } from './answer-object.ts';
import type { OpenInvitation } from './membership.ts';
import type { ListedTraining } from './trainings.ts';

/** An owner of a federation, with the bundle of it that counts. */
export interface ListedOwner extends AnswerObject {
  owner: string;
  /** Where it is, as it told itself; null: it has not. */
  coordinates?: Coordinates | null;
  /** What it states it did about what its bundle gives away; null: it has sent none, or before this was kept. */
  privacy?: AppliedPrivacy | null;
  /** Null: it has sent none. */
  bundle?:
    | (AnswerObject & { version: number; samples?: number; width?: number; sha256?: string; received?: string })
    | null;
}

/** GET /v1/federations/:f. Owners see their own entry only. */
export interface FederationStatus {
  /** Name of the federation. */
  name: string;
  /** The classes that it was made with, in their order; null: the labels decide. */
  classes?: string[] | null;
  /** Its owners, with the bundle of each that counts. */
  owners: ListedOwner[];
  /** How many owners and bundles there are, and the version of the labels (0: none). */
  counts?: { owners: number; bundles: number; labels: number };
  /** Shown to operators and label holders, each with the labels that count, if it sent them. */
  labelHolders?: (AnswerObject & {
    owner: string;
    labels?: (AnswerObject & { version: number; samples?: number }) | null;
  })[];
  /** Shown to operators. */
  invitations?: OpenInvitation[];
  /** What is taken of each quota. */
  quotas?: QuotaUsage[];
  /** Its newest 100 trainings, and all that wait or run. */
  trainings?: ListedTraining[];
  /** Its newest 100 models, and the active one. */
  models?: (AnswerObject & { version: number })[];
  /** Version of the model that answers; null: none does. */
  activeModel?: number | null;
  [detail: string]: unknown;
}

/** An entry of GET /v1/federations. */
export interface ListedFederation extends AnswerObject {
  name: string;
  /** Where the operator fixed them. */
  classes?: string[] | null;
  /** The version that answers, or null for none yet. */
  activeModel?: number | null;
  /** When it was made (ISO 8601). */
  created?: string;
}
