// Every public error: its code, its HTTP status and what it means. docs/errors.md lists the same, a test compares them.

/** The codes that the numerical core throws. */
export type CoreErrorCode =
  | 'F3_SHAPE'
  | 'F3_ARGUMENT'
  | 'F3_OUT_OF_MEMORY'
  | 'F3_KERNEL'
  | 'F3_DISPOSED'
  | 'F3_SAFETENSORS';

interface ErrorKind {
  /** A status below 500 is the caller's to mend (the CLI exits with 2), 500 and above is ours or the machine's (1). */
  readonly status: number;
  readonly meaning: string;
}

/** Every error code with its HTTP status and its meaning. */
export const ERRORS = {
  F3_ARGUMENT: { status: 400, meaning: 'An argument breaks its rule.' },
  F3_AUDIT_CHANGED: { status: 422, meaning: 'An exported audit log was changed, cut or put in another order.' },
  F3_AUDIT_FILE: { status: 422, meaning: 'A file is not an exported audit log, or not a signed head of one.' },
  F3_AUTH_CERTIFICATE: {
    status: 403,
    meaning: 'A client certificate is missing, has expired or is of an authority that the coordinator does not trust.',
  },
  F3_AUTH_EXPIRED: {
    status: 401,
    meaning: 'A token has expired, or a request was signed in the future: the clocks differ.',
  },
  F3_AUTH_FORBIDDEN: { status: 403, meaning: 'A member or an inference token may not do this.' },
  F3_AUTH_REPLAY: { status: 401, meaning: 'A request token was used before.' },
  F3_AUTH_RETRY: {
    status: 401,
    meaning: "A request's token could not be checked just now; the same request with a fresh token may pass.",
  },
  F3_AUTH_REVOKED: { status: 403, meaning: 'The key or the inference token was revoked.' },
  F3_AUTH_TAMPERED: {
    status: 401,
    meaning: 'A request is not the one that was signed: its method, path or body differ.',
  },
  F3_AUTH_TOKEN: { status: 401, meaning: "A request's token is missing, malformed or forged." },
  F3_AUTH_UNKNOWN: {
    status: 401,
    meaning: 'The key has not joined, the signature is not its own, or nobody made the inference token.',
  },
  F3_BACKUP_FILE: { status: 422, meaning: 'A file is not a backup of f3, is cut off or was changed.' },
  F3_BACKUP_TARGET: { status: 409, meaning: 'A backup is restored into an empty place only, and this one is not.' },
  F3_BUNDLE_COLUMN: { status: 422, meaning: 'A bundle lacks a column, or the column has the wrong type or nulls.' },
  F3_BUNDLE_COUNT: { status: 422, meaning: 'Ids, embeddings and probabilities do not have the same number of rows.' },
  F3_BUNDLE_COUNTS: { status: 409, meaning: 'A bundle version that counts is not deleted.' },
  F3_BUNDLE_DUPLICATE: { status: 422, meaning: 'A sample occurs twice in a bundle.' },
  F3_BUNDLE_EMPTY: { status: 422, meaning: 'A bundle has no samples.' },
  F3_BUNDLE_EXISTS: { status: 409, meaning: 'The output file exists, and nobody asked to overwrite it.' },
  F3_BUNDLE_FORMAT: {
    status: 422,
    meaning: 'A file is not a whole bundle, or its metadata break the format in docs/bundle-format.md.',
  },
  F3_BUNDLE_ID: {
    status: 422,
    meaning: 'A sample id is empty, too long or not of the stated type, or some times have a zone and some have none.',
  },
  F3_BUNDLE_ID_TYPE: {
    status: 422,
    meaning:
      'Sample ids are texts in one bundle and integers in another, or times with a zone in one and without in another.',
  },
  F3_BUNDLE_IN_MODEL: {
    status: 409,
    meaning: 'A model learned from a bundle version and could not be refitted without it.',
  },
  F3_BUNDLE_IN_TRAINING: { status: 409, meaning: 'A training that is queued or running learns from a bundle version.' },
  F3_BUNDLE_NOT_FINITE: { status: 422, meaning: 'A number of a bundle is NaN, infinite or missing.' },
  F3_BUNDLE_NPY: { status: 422, meaning: 'A file is not a .npy array of the needed type and shape.' },
  F3_BUNDLE_OWNER: { status: 422, meaning: 'The owner id of a bundle breaks the rule for owner ids.' },
  F3_BUNDLE_PROBABILITIES: {
    status: 422,
    meaning: 'Class probabilities leave 0 to 1, do not sum to 1, or differ in number between owners.',
  },
  F3_BUNDLE_UNKNOWN: { status: 404, meaning: 'There is no such bundle version.' },
  F3_BUNDLE_UNREADABLE: { status: 422, meaning: 'A file to read is missing or may not be read.' },
  F3_BUNDLE_UNSOUND: { status: 422, meaning: '`f3 bundle check` found errors.' },
  F3_BUNDLE_UNWRITABLE: { status: 422, meaning: 'The output file cannot be written.' },
  F3_BUNDLE_VERSION: { status: 422, meaning: 'A bundle is of a version that this f3 does not read.' },
  F3_BUNDLE_VOTES: { status: 422, meaning: 'No bundle carries class probabilities, and the question needs them.' },
  F3_BUNDLE_WIDTH: {
    status: 422,
    meaning: "A bundle's embeddings are not as wide as the owner's last ones, and the upload does not say `width=new`.",
  },
  F3_BUSY: { status: 503, meaning: 'The coordinator has as much to do as it takes on at a time; try again.' },
  F3_CHECKPOINT: { status: 409, meaning: 'A checkpoint is broken, or belongs to another training.' },
  F3_CLIENT_RESPONSE: { status: 502, meaning: "The coordinator's answer is not one that f3 gives." },
  F3_CLIENT_TLS: {
    status: 403,
    meaning:
      "The coordinator's certificate is not trusted here, has expired or names another host; or ours is broken or refused.",
  },
  F3_CLIENT_UNREACHABLE: { status: 503, meaning: 'The coordinator does not answer.' },
  F3_DATA_COLUMN: {
    status: 422,
    meaning: 'A table lacks a column that was asked for, or the column has the wrong type.',
  },
  F3_DATA_DUPLICATE: { status: 422, meaning: 'A time, a sample or an owner occurs twice.' },
  F3_DATA_EMPTY: { status: 422, meaning: 'Nothing is left: no owner, or not one complete window.' },
  F3_DATA_EXISTS: {
    status: 409,
    meaning: 'The output directory exists, and nobody asked to overwrite it, or it is no data set.',
  },
  F3_DATA_FORMAT: { status: 422, meaning: 'A file of a data set breaks the format in docs/dataset-format.md.' },
  F3_DATA_GAP: {
    status: 422,
    meaning: 'A window lacks readings in the middle of the record.',
  },
  F3_DATA_GRAPH: { status: 422, meaning: 'The graph is not one row and one column of numbers per owner.' },
  F3_DATA_KEY: { status: 422, meaning: 'The HDF5 file has no pandas frame under the key.' },
  F3_DATA_LABEL: { status: 422, meaning: 'A label is missing or is not one of the classes.' },
  F3_DATA_NOT_FINITE: { status: 422, meaning: 'A reading is NaN, infinite, empty or not a number.' },
  F3_DATA_ORDER: { status: 422, meaning: 'Times do not ascend.' },
  F3_DATA_OWNER: { status: 422, meaning: 'The data set has no such owner, or its id cannot name a folder.' },
  F3_DATA_RATE: { status: 422, meaning: 'Times do not lie on a regular grid, or its rate cannot be told.' },
  F3_DATA_SPLIT: {
    status: 422,
    meaning: 'The split overlaps, names unknown samples, leaves samples out or has an empty part.',
  },
  F3_DATA_UNREADABLE: { status: 422, meaning: 'A file is missing, may not be read or is not in its format.' },
  F3_DISK_FULL: {
    status: 507,
    meaning: "The coordinator's disk is full, or would be with this; its operator has to free some space.",
  },
  F3_DISPOSED: { status: 500, meaning: 'An engine was used after it was disposed.' },
  F3_EVALUATION: {
    status: 409,
    meaning:
      'A model cannot be scored again, since what it learned from is gone or it has too many owners; or bundles are too large to be compared.',
  },
  F3_FEDERATION_EXISTS: { status: 409, meaning: 'A federation of that name exists.' },
  F3_FEDERATION_UNKNOWN: { status: 404, meaning: 'There is no federation of that name.' },
  F3_FUSE_CLASSES: {
    status: 422,
    meaning: 'The training part has one class only, or the votes are over other classes.',
  },
  F3_FUSE_DIVERGED: { status: 422, meaning: 'Training gave a loss that is not finite.' },
  F3_FUSE_GRAPH: { status: 422, meaning: 'An adjacency does not fit the owners, or there are too few owners for κ.' },
  F3_FUSE_OVERLAP: { status: 422, meaning: 'An owner has no sample in common with the labels.' },
  F3_FUSE_OWNER: { status: 422, meaning: 'An owner is unknown to the model, or sent two bundles.' },
  F3_FUSE_SPLIT: { status: 422, meaning: 'The split names a sample twice, or a part has no usable sample.' },
  F3_FUSE_WIDTH: { status: 422, meaning: 'Embeddings differ in width where they must not.' },
  F3_HOME: { status: 422, meaning: 'The home folder has no fitting membership, several, or one that is in the way.' },
  F3_INTERNAL: { status: 500, meaning: 'The coordinator failed; its log says why.' },
  F3_INVITATION: { status: 403, meaning: 'An enrolment code is unknown.' },
  F3_INVITATION_CANCELLED: { status: 403, meaning: 'An enrolment code was cancelled.' },
  F3_INVITATION_EXPIRED: { status: 403, meaning: 'An enrolment code has expired.' },
  F3_INVITATION_UNKNOWN: { status: 404, meaning: 'There is no such invitation, or it is no longer open.' },
  F3_INVITATION_USED: { status: 403, meaning: 'An enrolment code was used before, with another key.' },
  F3_KERNEL: { status: 500, meaning: 'A compiled kernel failed or could not be loaded.' },
  F3_KEY: { status: 422, meaning: 'A key is missing, broken, readable by others or would be overwritten.' },
  F3_LABELS: { status: 422, meaning: 'Labels are broken: a sample twice, an unknown class, fewer than two classes.' },
  F3_LABELS_BUDGET: { status: 409, meaning: 'The labels were trained on as often as their holder allows.' },
  F3_LABELS_CONSENT: { status: 403, meaning: 'The label holder has not allowed this member to train on its labels.' },
  F3_LABELS_PART: {
    status: 422,
    meaning: 'A part of a split is so small, or so nearly of one class, that scores on it would tell single labels.',
  },
  F3_LABELS_SPLIT: {
    status: 403,
    meaning: 'The labels were split in another way before, and their holder allows no other.',
  },
  F3_LABELS_UNKNOWN: { status: 404, meaning: 'There is no such version of the labels.' },
  F3_LEAK_AUDIT: { status: 422, meaning: 'Embeddings cannot be audited: too few samples, or numbers that are none.' },
  F3_LEAK_LIMIT: {
    status: 409,
    meaning: "Embeddings give away more than their owner's own limit, or have not been audited.",
  },
  F3_LISTEN: {
    status: 409,
    meaning: 'The coordinator cannot listen at its address: it is in use, not allowed, or of another machine.',
  },
  F3_MEMBER_EXISTS: { status: 409, meaning: 'The name has a valid key already, or the key was enrolled before.' },
  F3_MEMBER_UNKNOWN: { status: 404, meaning: 'Nobody of that name is enrolled, or no longer.' },
  F3_MODEL_EXISTS: {
    status: 409,
    meaning: 'The output folder exists, and nobody asked to overwrite it, or it is no model.',
  },
  F3_MODEL_FORMAT: { status: 422, meaning: 'A model file is missing, broken or does not fit its card.' },
  F3_MODEL_GRAPH: { status: 404, meaning: 'The model has no graph between owners that is its own.' },
  F3_MODEL_NONE: { status: 409, meaning: 'The federation has no active model yet.' },
  F3_MODEL_REFIT: {
    status: 422,
    meaning:
      'A refit needs an alignment of that owner, a new bundle of it, and the split and other bundles of the model.',
  },
  F3_MODEL_SERVED: {
    status: 422,
    meaning: 'The model cannot answer single samples: it counts votes, or its answers would depend on each other.',
  },
  F3_MODEL_UNKNOWN: { status: 404, meaning: 'There is no such model version.' },
  F3_MODEL_UNWRITABLE: { status: 422, meaning: 'A model or its figures cannot be written.' },
  F3_NOT_READY: { status: 503, meaning: "The coordinator's database does not answer." },
  F3_ONNX_INPUT: { status: 422, meaning: "The model's input does not take the owner's windows." },
  F3_ONNX_NOT_FINITE: { status: 422, meaning: 'The model gives NaN or infinite numbers.' },
  F3_ONNX_NOT_FROZEN: {
    status: 422,
    meaning: "A window's embedding depends on chance or on the other windows of its batch.",
  },
  F3_ONNX_OUTPUT: {
    status: 422,
    meaning: 'The model lacks the named output in its graph, or the output is not one row of floats per window.',
  },
  F3_ONNX_RUN: { status: 422, meaning: 'The model cannot be computed for these windows.' },
  F3_ONNX_RUNTIME: { status: 422, meaning: 'ONNX Runtime is not installed; `npm install onnxruntime-web` mends it.' },
  F3_ONNX_UNREADABLE: { status: 422, meaning: 'A model file is missing, may not be read or is not ONNX.' },
  F3_OPTION: {
    status: 400,
    meaning: 'An option or argument of a command line is unknown, missing or breaks its rule.',
  },
  F3_OUTPUT: { status: 422, meaning: 'An output file or folder exists already, or cannot be written.' },
  F3_OUT_OF_MEMORY: { status: 507, meaning: 'The memory of the numerical core is exhausted.' },
  F3_OWNER_MISMATCH: { status: 403, meaning: 'A bundle or a model belongs to another owner than the member.' },
  F3_PREDICTION_NOT_FINITE: {
    status: 422,
    meaning: 'Embeddings are so large that the prediction is not finite.',
  },
  F3_PRIVACY_BUDGET: { status: 409, meaning: 'A release would take a sample past the ε that its owner allows.' },
  F3_PROCESS: { status: 500, meaning: 'A process that f3 started beside itself failed.' },
  F3_PROFILE: {
    status: 422,
    meaning: 'A profile is unknown or broken, or is of another coordinator, federation or role than was asked for.',
  },
  F3_PSEUDONYM_KEY: {
    status: 409,
    meaning: "Pseudonyms come from two keys: two owners', or those of a key holder that has changed its key.",
  },
  F3_PSEUDONYM_LIMIT: { status: 429, meaning: 'A member has had as many ids evaluated as it may in a day.' },
  F3_PSEUDONYM_PROOF: { status: 502, meaning: 'The key holder did not prove that it used the key it has published.' },
  F3_QUOTA: {
    status: 409,
    meaning: 'A member or a federation has taken as much of the coordinator as its quota allows.',
  },
  F3_RATE_LIMIT: { status: 429, meaning: 'Too many requests; try again later.' },
  F3_REPRODUCE_DATA: { status: 422, meaning: 'A file that an experiment needs was not found.' },
  F3_REQUEST: { status: 400, meaning: 'A request breaks the rules of its route.' },
  F3_REQUEST_KEY: { status: 409, meaning: 'An Idempotency-Key was used before, for another request.' },
  F3_REQUEST_PATH: { status: 400, meaning: "A name or a number in a request's path breaks its rule." },
  F3_REQUEST_SIZE: { status: 413, meaning: 'A request is too large.' },
  F3_REQUEST_TIMEOUT: { status: 408, meaning: 'A request came too slowly.' },
  F3_ROUTE: { status: 404, meaning: 'There is no such route.' },
  F3_SAFETENSORS: { status: 422, meaning: 'A weights file is not a whole safetensors file of float32 numbers.' },
  F3_SAMPLE_UNKNOWN: { status: 404, meaning: 'A sample was not predicted lately by the active model.' },
  F3_SEARCH_FOLDER: {
    status: 409,
    meaning: 'The folder of a search is in use, belongs to another search or holds something else.',
  },
  F3_SESSION: {
    status: 401,
    meaning: 'The session of the dashboard is unknown or over: idle, logged out, revoked or too old.',
  },
  F3_SESSION_CODE: { status: 403, meaning: 'A one-time code of the dashboard is unknown, was used or has expired.' },
  F3_SESSION_ORIGIN: { status: 403, meaning: 'A request of a session did not come from the dashboard itself.' },
  F3_SESSION_UNKNOWN: { status: 404, meaning: 'There is no such session, or it is not for you to see.' },
  F3_SHAPE: { status: 500, meaning: 'A tensor has the wrong shape.' },
  F3_SHARES_AWAY: { status: 503, meaning: 'An entity that holds shares, or the coordinator, does not answer.' },
  F3_SHARES_BUNDLE: {
    status: 422,
    meaning: 'A share, or what its owner states of it, breaks its rules: width, length, charter or owner.',
  },
  F3_SHARES_CHARTER: {
    status: 409,
    meaning: 'A charter of entities is not the agreed one, is not in use at an entity, or breaks its rules.',
  },
  F3_SHARES_CODES: {
    status: 422,
    meaning:
      'Owners code their embeddings differently, or otherwise than the model has learned or the fusion asks for.',
  },
  F3_SHARES_COMMITMENT: { status: 422, meaning: 'A share is not the one that its owner committed to.' },
  F3_SHARES_CONFIG: { status: 422, meaning: 'A fusion asks for what cannot be computed on shares.' },
  F3_SHARES_KEY: { status: 422, meaning: 'An entity lacks a key that it has in common with others.' },
  F3_SHARES_MASK: { status: 422, meaning: 'Numbers are too large to be masked well enough before they are opened.' },
  F3_SHARES_MESSAGE: { status: 422, meaning: 'A message between entities has the wrong length, or came twice.' },
  F3_SHARES_MISSING: { status: 503, meaning: 'Fewer entities take part than an opening needs.' },
  F3_SHARES_ONLY: {
    status: 409,
    meaning: 'A federation computes on shares, and was sent embeddings, or asked for what needs them.',
  },
  F3_SHARES_OVERFLOW: { status: 422, meaning: 'A number outgrew its fixed-point range in a computation on shares.' },
  F3_SHARES_RANGE: { status: 422, meaning: 'A number is too large to be shared.' },
  F3_SHARES_SCHEME: { status: 400, meaning: 'The threshold does not fit the number of entities.' },
  F3_SHARES_SIGNATURE: { status: 422, meaning: 'A statement about shares is not signed by the key that it should be.' },
  F3_SHARES_STATE: {
    status: 409,
    meaning: 'Shares or a checkpoint of them are not those of this training and step.',
  },
  F3_SHARES_STORE: {
    status: 409,
    meaning: "An entity's store is an older copy, or lacks or has changed a share that it should hold.",
  },
  F3_SHARES_VERSION: {
    status: 409,
    meaning: "A version of a shared bundle is not the owner's next one, or is held already with other contents.",
  },
  F3_SHARES_WRONG: { status: 502, meaning: 'An entity sent shares that do not fit those of the others.' },
  F3_STORAGE_BLOB: { status: 500, meaning: 'Stored bytes are missing.' },
  F3_STORAGE_DIRECTORY: { status: 422, meaning: 'A data folder cannot be used, or its database is broken.' },
  F3_STORAGE_LOCKED: { status: 409, meaning: 'Another process uses the data folder.' },
  F3_STORAGE_UNREACHABLE: { status: 503, meaning: 'The PostgreSQL server does not answer or refuses the connection.' },
  F3_STORAGE_VERSION: { status: 409, meaning: 'The database was made by a newer f3.' },
  F3_STREAM_WINDOW: { status: 422, meaning: 'A window to stream is not what the local model takes.' },
  F3_TOKEN_EXISTS: { status: 409, meaning: 'The federation has an inference token of that name.' },
  F3_TOKEN_UNKNOWN: { status: 404, meaning: 'There is no such inference token, or no longer.' },
  F3_TRAINING: { status: 422, meaning: 'A training on the coordinator was cancelled or failed.' },
  F3_TRAINING_INPUT: { status: 409, meaning: 'Bundles or labels are missing for a training.' },
  F3_TRAINING_MEMORY: {
    status: 413,
    meaning: 'A training would take more memory than the coordinator gives to one.',
  },
  F3_TRAINING_STATE: {
    status: 409,
    meaning: 'A training is not in a state that allows this, or another worker has taken it over.',
  },
  F3_TRAINING_UNKNOWN: { status: 404, meaning: 'There is no such training.' },
  F3_UPLOAD_HASH: { status: 422, meaning: 'An upload does not have the SHA-256 that was announced.' },
  F3_UPLOAD_LIMIT: {
    status: 413,
    meaning: 'An upload is larger, or has more samples or longer rows, than the coordinator takes or can check.',
  },
  F3_UPLOAD_OFFSET: { status: 409, meaning: 'A chunk of an upload does not begin where the last one ended.' },
  F3_UPLOAD_SIZE: { status: 413, meaning: 'An upload is larger than announced.' },
  F3_UPLOAD_STATE: { status: 409, meaning: 'An upload is not in a state that allows this.' },
  F3_UPLOAD_UNKNOWN: { status: 404, meaning: 'There is no such upload.' },
} as const satisfies Record<string, ErrorKind> & Record<CoreErrorCode, ErrorKind>;

/** The code of an error: docs/errors.md explains each. */
export type ErrorCode = keyof typeof ERRORS;

/** An option of the call that failed. Given another value, it would let the call pass. */
export type Remedy =
  | 'audit'
  | 'charter'
  | 'classes'
  | 'data'
  | 'despiteAudit'
  | 'despiteModels'
  | 'entityFolder'
  | 'federation'
  | 'gaps'
  | 'idColumn'
  | 'neighbours'
  | 'newWidth'
  | 'overwrite'
  | 'pseudonymsCode'
  | 'rate'
  | 'rows'
  | 'share'
  | 'split'
  | 'votes'
  | 'window'
  | 'windowShape'
  | 'without';

/** What an error may say besides its code and its message. */
export interface F3ErrorOptions extends ErrorOptions {
  /** The option to change, where there is one. */
  remedy?: Remedy | undefined;
}

/** A failure with a stable code. The message names the thing, the rule and the value. */
export class F3Error extends Error {
  /** Stable: a program may decide by it. */
  readonly code: ErrorCode;
  /** The option to change, where there is one. Messages name no flags: the command line adds its own. */
  readonly remedy: Remedy | undefined;

  constructor(code: ErrorCode, message: string, { remedy, ...options }: F3ErrorOptions = {}) {
    super(message, options);
    this.name = 'F3Error';
    this.code = code;
    this.remedy = remedy;
  }
}

/** The code of any error of ours, the core's included; undefined for everything else. */
export function errorCode(error: unknown): ErrorCode | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined;
}
