// [wire] Who belongs to a federation: roles, enrolment, invitations, leaving.

/** What a member may do: send embeddings, send labels, or run the federation. */
export type Role = 'owner' | 'labels' | 'operator';

/** A name is in lower case, so that it is the same folder on every system. */
export const FEDERATION_NAME = /^[a-z0-9-]{1,60}$/;

export const FEDERATION_NAME_RULE = 'must be 1 to 60 of a to z, 0 to 9 and -';

/** POST /v1/enrol */
export interface Enrolment {
  /** Null for the operator of the whole server. */
  federation: string | null;
  /** The name under which the member joined. */
  owner: string;
  /** What the member may do. */
  role: Role;
  /** The thumbprint of its key. */
  keyId: string;
}

/** A code with which one member joins, once. */
export interface Invitation {
  /** The code, which is not shown again. */
  code: string;
  expires: string;
}

/** An invitation that nobody has used, as operators see it: not its code. */
export interface OpenInvitation {
  id: string;
  owner: string;
  role: Role;
  created: string;
  expires: string;
  /** Whether its time is over. */
  expired: boolean;
}

/** How an owner leaves a federation. */
export interface LeaveRequest {
  /** What becomes of the bundles that were sent. Default: keep. */
  bundles?: 'keep' | 'delete';
  /** Says that bundles are deleted even if models learned from them. */
  despite?: 'models';
}

/** What is left of an owner that has left. */
export interface Departure {
  owner: string;
  left: string;
  activeModel: number | null;
  /** Models that learned from the owner's bundles, and stay as they are. */
  models: number[];
  /** Trainings that were asked for before, and still learn from them. */
  trainings: string[];
  /** Versions of bundles that were kept. */
  kept?: number[];
  /** Versions of bundles that were deleted. */
  deleted?: number[];
}
