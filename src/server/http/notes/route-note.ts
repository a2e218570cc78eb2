// [coordinator] What is said of a route beside its schema, and the error codes that several routes have in common.

export interface RouteNote {
  says: string;
  /** An example of the answer, shortened. */
  answer: string;
  /** Error codes of this route, beyond those that any route may give. */
  errors?: string[];
}

/** What a route of a federation may answer. */
export const UNKNOWN = ['F3_FEDERATION_UNKNOWN'];
export const TRAINING = ['F3_TRAINING_UNKNOWN'];
export const MODEL = [
  ...UNKNOWN,
  'F3_MODEL_NONE',
  'F3_FUSE_OWNER',
  'F3_FUSE_WIDTH',
  'F3_BUNDLE_NOT_FINITE',
  'F3_PREDICTION_NOT_FINITE',
];
/** The error that a wrong Idempotency-Key causes. */
export const KEYED = ['F3_REQUEST_KEY'];
