// [coordinator] Describes each route for the OpenAPI document, /docs and docs/http-api.md, in addition to its schema.

export interface RouteNote {
  says: string;
  /** An example of the answer, shortened. */
  answer: string;
  /** Error codes of this route, beyond those that any route may give. */
  errors?: string[];
}

const UNKNOWN = ['F3_FEDERATION_UNKNOWN'];
const TRAINING = ['F3_TRAINING_UNKNOWN'];
const MODEL = [
  ...UNKNOWN,
  'F3_MODEL_NONE',
  'F3_FUSE_OWNER',
  'F3_FUSE_WIDTH',
  'F3_BUNDLE_NOT_FINITE',
  'F3_PREDICTION_NOT_FINITE',
];
/** The error that a wrong Idempotency-Key causes. */
const KEYED = ['F3_REQUEST_KEY'];

/** Notes by method and path. A route without a note is described by its schema alone. */
export const ROUTE_NOTES: Record<string, RouteNote> = {
  'POST /v1/enrol': {
    says: 'Becomes a member: a one-time code and the public half of an Ed25519 key. The same code with the same key again gives the same answer.',
    answer: '{"federation": "grid", "owner": "plant-7", "role": "owner", "keyId": "…"}',
    errors: [
      'F3_INVITATION',
      'F3_INVITATION_CANCELLED',
      'F3_INVITATION_EXPIRED',
      'F3_INVITATION_USED',
      'F3_KEY',
      'F3_MEMBER_EXISTS',
    ],
  },
  'GET /v1/me': {
    says: 'Whose key it is that asks. `federation` is null for an operator of the whole coordinator.',
    answer: '{"federation": "grid", "owner": "plant-7", "role": "owner", "keyId": "…", "joined": "…"}',
  },
  'GET /v1/me/keys': {
    says: 'The key that signed this request, and former ones with the time until which each is accepted.',
    answer: '{"signedBy": "…", "former": [{"keyId": "…", "replaced": "…", "ends": "…"}]}',
  },
  'POST /v1/me/keys': {
    says: 'Replaces the key that signs this request by `publicKey`. `proof` is the Ed25519 signature of the new key, as base64url, over the lines `f3-key-rotation`, id of the old key, id of the new key. The old one is accepted for `overlapHours` (24, at most 168) more; it cannot replace the new one. The same new key again gives the same answer.',
    answer: '{"keyId": "…", "former": "…", "ends": "2026-05-02T12:00:00.000Z"}',
    errors: ['F3_KEY', 'F3_MEMBER_EXISTS'],
  },
  'POST /v1/me/keys/{key}/revoke': {
    says: 'A former key of the member is refused from now on.',
    answer: '{"keyId": "…", "ends": "2026-05-02T12:00:00.000Z"}',
    errors: ['F3_KEY'],
  },
  'POST /v1/sessions/codes': {
    says: 'A code that opens a session of the dashboard in the name of whoever signed this request, once, within ten minutes. Only its hash is kept. The link is the coordinator’s address, `/#code=` and the code. Five codes of a member are open at most: a new one voids the oldest.',
    answer: '{"code": "…", "expires": "2026-05-02T12:00:00.000Z"}',
  },
  'POST /v1/sessions': {
    says: 'Turns a code into a session. The answer sets the cookie `f3_session` (over TLS `__Host-f3_session`, Secure), HttpOnly and SameSite=Strict. The request must come from the page itself: header `x-f3-session: 1`, and `Sec-Fetch-Site: same-origin` or an `Origin` of this host.',
    answer:
      '{"id": "…", "owner": "operator-3f0ab1c2", "role": "operator", "federation": null, "opened": "…", "expires": "…", "idleSeconds": 1800, "version": "0.1.0"}',
    errors: ['F3_SESSION_CODE', 'F3_SESSION_ORIGIN', 'F3_AUTH_REVOKED'],
  },
  'GET /v1/session': {
    says: 'The session of whoever asks. A GET with the header `x-f3-session: by-itself` does not keep an idle session alive, nor do streams.',
    answer:
      '{"id": "…", "owner": "operator-3f0ab1c2", "role": "operator", "federation": null, "opened": "…", "expires": "…", "idleSeconds": 1800, "version": "0.1.0"}',
    errors: ['F3_SESSION'],
  },
  'DELETE /v1/session': {
    says: 'Ends the session of whoever asks.',
    answer: '{"id": "…"}',
    errors: ['F3_SESSION'],
  },
  'GET /v1/sessions': {
    says: 'Sessions that are open: of an operator’s federation, for operators of the whole coordinator all, for others their own.',
    answer:
      '{"sessions": [{"id": "…", "owner": "control-room", "role": "labels", "federation": "grid", "opened": "…", "lastUsed": "…", "expires": "…", "address": "192.0.2.7", "current": false}]}',
  },
  'POST /v1/sessions/{id}/revoke': {
    says: 'Ends one of the sessions that `GET /v1/sessions` lists, at once and on every coordinator of the same database.',
    answer: '{"id": "…", "owner": "control-room", "ended": "2026-05-02T12:00:00.000Z"}',
    errors: ['F3_SESSION_UNKNOWN'],
  },
  'GET /v1/operators': {
    says: 'Operators of the whole coordinator.',
    answer: '{"operators": [{"owner": "operator-3f0ab1c2", "keyId": "…", "joined": "…", "revoked": null}]}',
  },
  'POST /v1/operators/{owner}/revoke': {
    says: 'Refuses the keys of an operator of the whole coordinator from now on. The last one is not revoked.',
    answer: '{"owner": "operator-3f0ab1c2", "revoked": "2026-05-02T12:00:00.000Z"}',
    errors: ['F3_MEMBER_UNKNOWN'],
  },
  'GET /v1/federations': {
    says: 'All federations of this coordinator.',
    answer: '{"federations": [{"name": "grid", …}]}',
  },
  'POST /v1/federations': {
    says: 'Makes a federation. With `classes` the label holder may use no others. With `entities` (tls://host:port#key-id of each) and `threshold` embeddings lie in shares with them ([shares.md](shares.md)); the answer then has the charter, its fingerprint and how the entities stand.',
    answer: '{"name": "grid", "classes": ["calm", "storm"], "activeModel": null, "created": "…"}',
    errors: ['F3_FEDERATION_EXISTS', 'F3_ARGUMENT', 'F3_SHARES_CHARTER', 'F3_SHARES_SCHEME', ...KEYED],
  },
  'GET /v1/federations/{federation}/shares': {
    says: 'A federation on shares: its charter and fingerprint. Owners are told their shared bundles, the least number of the next one, and get the coordinator’s word to the entities, good for an hour. With `check=yes` operators are told how each entity stands, and everything that was ever opened.',
    answer:
      '{"fingerprint": "…", "charter": {"federation": "grid", "threshold": 1, "entities": [{"url": "tls://e1.example:7720", "keyId": "…"}, …], …}, "entities": [{"entity": 1, "url": "…", "keyId": "…", "state": "ready", "epoch": 3, "shares": 3}, …], "ledger": [{"what": "logits", "to": "coordinator", "meaning": "…", "openings": 12, "count": 2400}, …]}',
    errors: [...UNKNOWN, 'F3_SHARES_CHARTER'],
  },
  'GET /v1/federations/{federation}': {
    says: 'Who has joined, what they sent, what was trained; for operators also who is invited. An owner sees its own entry and counts.',
    answer:
      '{"name": "grid", "classes": […], "activeModel": 1, "counts": {"owners": 3, "bundles": 3, "labels": 1}, "owners": [{"owner": "plant-7", "bundle": {"version": 1, "sha256": "…", "samples": 4000, "width": 16, …}}], "labelHolders": [{"owner": "control-room", "labels": {"version": 1, "samples": 4000, …}}], "invitations": […], "trainings": […], "models": […]}',
    errors: UNKNOWN,
  },
  'POST /v1/federations/{federation}/invitations': {
    says: 'A code for one member to join with, once, within `hours`. Only its hash is kept.',
    answer: '{"code": "…", "expires": "2026-05-02T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_MEMBER_EXISTS', 'F3_INVITATION_USED', ...KEYED],
  },
  'GET /v1/federations/{federation}/invitations': {
    says: 'Invitations that are open: neither used nor cancelled. Those that have expired are listed for 30 days more.',
    answer:
      '{"invitations": [{"id": "…", "owner": "plant-7", "role": "owner", "created": "…", "expires": "…", "expired": false}]}',
    errors: UNKNOWN,
  },
  'POST /v1/federations/{federation}/invitations/{id}/cancel': {
    says: 'Its code lets nobody in any more.',
    answer: '{"id": "…", "owner": "plant-7", "role": "owner", "cancelled": "2026-05-02T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_INVITATION_UNKNOWN'],
  },
  'POST /v1/federations/{federation}/members/{owner}/revoke': {
    says: 'Refuses the member’s key from now on, for good, and cancels open invitations of that name. What it sent stays; the name may be invited anew.',
    answer: '{"owner": "plant-7", "revoked": "2026-05-02T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_MEMBER_UNKNOWN', ...KEYED],
  },
  'POST /v1/federations/{federation}/leave': {
    says: 'The member takes itself out: its own key is refused from now on, for good, and later trainings leave its bundles out. With `bundles: delete` they are deleted in the same transaction; `despite: models` also those that models learned from. `models` learned from its bundles and stay as they are; `trainings` were asked for before and still learn from them.',
    answer:
      '{"owner": "plant-7", "left": "2026-05-02T12:00:00.000Z", "activeModel": 2, "models": [1, 2], "trainings": [], "kept": [1, 2]}',
    errors: [...UNKNOWN, 'F3_BUNDLE_IN_MODEL', 'F3_BUNDLE_IN_TRAINING'],
  },
  'GET /v1/federations/{federation}/bundles': {
    says: 'All versions that are stored: whether one counts, which models learned from it, which trainings under way need it. Owners get their own, operators all, or those of `owner`.',
    answer:
      '{"bundles": [{"owner": "plant-7", "version": 1, "created": "…", "size": 274394, "sha256": "…", "samples": 4000, "width": 16, "votes": true, "counts": true, "models": [1], "trainings": []}]}',
    errors: UNKNOWN,
  },
  'DELETE /v1/federations/{federation}/bundles/{owner}/{version}': {
    says: 'Deletes a version, bytes and all; its number is not used again. The one that counts is refused, and one that a training under way needs. With `despite=models` one goes that models learned from: they go on predicting, and can no longer be refitted. Again gives the same answer.',
    answer: '{"owner": "plant-7", "version": 1, "sha256": "…", "size": 274394, "deleted": "…", "models": []}',
    errors: [...UNKNOWN, 'F3_BUNDLE_UNKNOWN', 'F3_BUNDLE_COUNTS', 'F3_BUNDLE_IN_MODEL', 'F3_BUNDLE_IN_TRAINING'],
  },
  'GET /v1/federations/{federation}/audit': {
    says: 'Who did what when, oldest first, after the entry with the id `after`. `number` and `hash` are its place in the chain of this log.',
    answer:
      '{"entries": [{"id": 7, "number": 5, "at": "…", "federation": "grid", "actor": "plant-7", "action": "bundle.received", "details": {"version": 1, "sha256": "…", "size": 274394}, "keyId": "…", "address": "192.0.2.7", "hash": "…"}]}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/audit/heads': {
    says: 'The signed heads of the log that cover more than `after` entries.',
    answer: '{"heads": [{"federation": "grid", "count": 7, "hash": "…", "at": "…", "keyId": "…", "signature": "…"}]}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/audit/head': {
    says: 'A head over all entries that are there, signed with the key of the coordinator. Keep it: a log that is shorter or other later on does not fit it.',
    answer: '{"federation": "grid", "count": 7, "hash": "…", "at": "…", "keyId": "…", "signature": "…"}',
    errors: [...UNKNOWN, 'F3_AUDIT_CHANGED'],
  },
  'POST /v1/backups': {
    says: 'Writes a backup into `backups/` of the data folder, while the coordinator runs. Nothing of it is sent. One is made at a time; the answer comes when it is whole.',
    answer: '{"file": "/var/lib/f3/backups/f3-….backup", "bytes": 8123456, "sha256": "…"}',
  },
  'GET /v1/audit': {
    says: 'Like the log of a federation, for what concerns the coordinator as a whole.',
    answer: '{"entries": [{"id": 1, "number": 1, "federation": null, "action": "operator.made", …}]}',
  },
  'GET /v1/audit/heads': { says: 'The signed heads of that log.', answer: '{"heads": […]}' },
  'GET /v1/audit/head': {
    says: 'A head over all entries of that log.',
    answer: '{"federation": null, "count": 3, …}',
    errors: ['F3_AUDIT_CHANGED'],
  },
  'GET /v1/audit/keys': {
    says: 'The public keys that heads of audit logs are signed with.',
    answer: '{"keys": [{"keyId": "…", "publicKey": {"kty": "OKP", "crv": "Ed25519", "x": "…"}, "since": "…"}]}',
  },
  'POST /v1/federations/{federation}/uploads': {
    says: 'Announces a bundle (owners) or labels (label holders). The same member, kind and hash give the same upload, so this is also how to resume. In a federation on shares `shares` must be true: what is sent then are sample ids and what the owner signed of its shares, and no embedding.',
    answer: '{"id": "…", "received": 0, "state": "open"}',
    errors: [...UNKNOWN, 'F3_UPLOAD_LIMIT', 'F3_QUOTA', 'F3_SHARES_CHARTER', 'F3_SHARES_ONLY'],
  },
  'GET /v1/federations/{federation}/uploads': {
    says: 'The member’s own uploads that are not complete.',
    answer:
      '{"uploads": [{"id": "…", "kind": "bundle", "size": 274394, "received": 1048576, "sha256": "…", "touched": "…"}]}',
  },
  'GET /v1/federations/{federation}/labels/access': {
    says: 'What the holder of the labels that count allows others ([operations.md](operations.md#who-may-train-on-labels)): its rules, how often they were trained on without a grant, how they were split first, and its grants. A label holder sees its own.',
    answer:
      '{"holder": "control-room", "labels": 1, "rules": {"smallestPart": 10, "smallestClass": 3, "trainings": 50, "open": "trainers"}, "used": 3, "split": {"seed": 1}, "grants": [{"member": "ops", "trainings": 100, "used": 2, "anySplit": true, "exactScores": false, "granted": "…"}]}',
    errors: UNKNOWN,
  },
  'PUT /v1/federations/{federation}/labels/rules': {
    says: 'The label holder changes its rules, for all labels that its key sent or will send. `smallestPart`: fewest samples of a part, and by how many two parts that are told of differ at least. `smallestClass`: fewest samples of a part that are not of its most frequent class. `trainings`: how often members without a grant may train on a version, all together. `open`: `trainers`, or `granted` for nobody without a grant.',
    answer: '{"holder": "control-room", …}',
    errors: UNKNOWN,
  },
  'PUT /v1/federations/{federation}/labels/grants/{member}': {
    says: 'The label holder allows an operator or another label holder `trainings` of its own on each version of the labels; `anySplit` also in other splits than the first; `exactScores` with all digits of scores and losses. The grant is for the key that the member has now.',
    answer: '{"holder": "control-room", …}',
    errors: [...UNKNOWN, 'F3_MEMBER_UNKNOWN'],
  },
  'DELETE /v1/federations/{federation}/labels/grants/{member}': {
    says: 'Takes a grant back. What the member trained counts from then on as trained without a grant.',
    answer: '{"holder": "control-room", …}',
    errors: [...UNKNOWN, 'F3_MEMBER_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/quotas': {
    says: 'What is taken of each quota ([operations.md](operations.md#quotas)); of a quota per member, by the member that has taken the most. Owners and label holders see their own share.',
    answer: '{"quotas": [{"quota": "memberBytes", "most": 21474836480, "used": 274394, "member": "plant-7"}, …]}',
    errors: UNKNOWN,
  },
  'PUT /v1/federations/{federation}/quotas': {
    says: 'Sets quotas of this federation; null puts one back to what the coordinator gives every federation. For operators of the whole coordinator.',
    answer: '{"quotas": [{"quota": "memberBytes", "most": 1073741824, "used": 274394, "member": "plant-7"}, …]}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/uploads/{id}': {
    says: 'How much of it arrived.',
    answer: '{"id": "…", "received": 1048576, "state": "open"}',
    errors: ['F3_UPLOAD_UNKNOWN'],
  },
  'PUT /v1/federations/{federation}/uploads/{id}': {
    says: 'The next bytes, at most 8 MiB, as `application/octet-stream`. `offset` must be what was received so far. The answer comes when they are on disk; the same chunk again is fine.',
    answer: '{"received": 2097152}',
    errors: ['F3_UPLOAD_OFFSET', 'F3_UPLOAD_SIZE', 'F3_UPLOAD_STATE', 'F3_UPLOAD_UNKNOWN'],
  },
  'POST /v1/federations/{federation}/uploads/{id}/complete': {
    says: 'Checks size, hash and content and makes it the next version, in one transaction. A check that takes longer than 25 s is answered 202 with `"state": "checking"`: ask again. Content that is refused stays refused. Again gives the same version; `newest` is the one that counts. With `again=yes` one that was overtaken becomes the newest once more; with `width=new` embeddings may be of another width than before.',
    answer: '{"kind": "bundle", "version": 1, "newest": 1, "sha256": "…"}',
    errors: [
      'F3_QUOTA',
      'F3_SHARES_AWAY',
      'F3_SHARES_BUNDLE',
      'F3_SHARES_COMMITMENT',
      'F3_SHARES_ONLY',
      'F3_SHARES_SIGNATURE',
      'F3_SHARES_STORE',
      'F3_SHARES_VERSION',
      'F3_UPLOAD_HASH',
      'F3_UPLOAD_LIMIT',
      'F3_UPLOAD_STATE',
      'F3_UPLOAD_UNKNOWN',
      'F3_OWNER_MISMATCH',
      'F3_LABELS',
      'F3_BUNDLE_…',
    ],
  },
  'POST /v1/federations/{federation}/trainings': {
    says: 'Queues a training on the newest bundles and labels of this moment. `config` changes the preset, which is `recommended` unless stated otherwise ([fusion.md](fusion.md)); `split` is a seed (1) or the ids of each part. With preset `auto` it searches for a config on the validation part, within `budget`, with what `config` says fixed; `ensemble` trains several models that are served as one. A refit (`refit`) learns one owner’s alignment anew from its newest bundle, which must be another than the model’s; it is split as the model was, and naming another split is refused. `promote` says when the new model answers by itself: `never`, `if-better` than the active one (a lower loss on the same validation samples and labels, and a ROC AUC that is no lower; the first model too, if an operator asked), or `always` (operators only). `workers` are the processes that take trainings now.',
    answer: '{"id": "…", "workers": 1}',
    errors: [
      ...UNKNOWN,
      'F3_TRAINING_INPUT',
      'F3_FUSE_GRAPH',
      'F3_FUSE_OWNER',
      'F3_MODEL_REFIT',
      'F3_MODEL_UNKNOWN',
      'F3_LABELS_BUDGET',
      'F3_LABELS_CONSENT',
      'F3_LABELS_PART',
      'F3_LABELS_SPLIT',
      'F3_QUOTA',
      'F3_TRAINING_MEMORY',
      ...KEYED,
    ],
  },
  'GET /v1/federations/{federation}/trainings': {
    says: 'Trainings, the newest first, `limit` (50, at most 200) of them, those before the one with the id `before`. `place` is where one that waits stands among all that wait.',
    answer:
      '{"trainings": [{"id": "…", "state": "running", "method": "f3", "fits": null, "refits": null, "owners": 12, "labels": 1, "requestedBy": "ops", "created": "…", "started": "…", "finished": null, "progress": {"epoch": 7, "epochs": 200, …}, "place": null, "model": null, "promotion": null, "error": null}], "next": null, "workers": 1}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/trainings/{id}': {
    says: 'State: queued, running, done, failed or cancelled; the model’s number and what became of it when done, the error when failed. While it is queued and `workers` is 0, nobody takes it. `curve` has the losses by epoch, at most 300 of them.',
    answer:
      '{"id": "…", "state": "done", "progress": {"epoch": 87, "trainLoss": 0.21, …}, "model": 2, "promotion": {"rule": "if-better", "promoted": false, "reason": "validation loss 0.5512 is not below 0.5301 of model 1", "before": 1}, "error": null, "workers": 1}',
    errors: TRAINING,
  },
  'POST /v1/federations/{federation}/trainings/{id}/cancel': {
    says: 'Ends it; one that runs ends at its next epoch.',
    answer: '{"id": "…", "state": "cancelled", …}',
    errors: [...TRAINING, 'F3_TRAINING_STATE'],
  },
  'GET /v1/federations/{federation}/trainings/{id}/events': {
    says: 'The same as server-sent events (`text/event-stream`), one for each change, until it is over. `points` are the epochs of the curve since the last event; the id of an event is the number of its last point, and with `Last-Event-ID` only later ones are sent.',
    answer:
      'data: {"state": "running", "epoch": 12, "trainLoss": 0.31, "validationLoss": 0.35, "bestEpoch": 11, "epochs": 500}',
    errors: TRAINING,
  },
  'GET /v1/federations/{federation}/models': {
    says: 'All versions with their scores and configuration. `state`: the active one answers, a former one did, a candidate never has.',
    answer:
      '{"models": [{"version": 1, "training": "…", "state": "active", "active": true, "created": "…", "activated": "…", "validation": {"accuracy": 0.94, …}, "test": {"accuracy": 0.93, …}, "config": {…}}]}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/models/{version}': {
    says: 'The model’s card: owners with the hashes of their bundles, classes, configuration, scores, SHA-256 of the weights. `model` is what the coordinator knows beyond it: who asked for it, which versions of bundles and labels it learned from, whether it answers.',
    answer:
      '{"format": "…", "owners": […], "classes": […], "weights": "…", …, "model": {"version": 2, "state": "candidate", "created": "…", "activated": null, "training": "…", "requestedBy": "control-room", "labels": 1, "bundles": {"plant-7": 2, …}}}',
    errors: ['F3_MODEL_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/models/{version}/graph': {
    says: 'The graph between owners that the model learned, was given or froze: its `edges` (1000) strongest ones, at most 500,000, and the distribution of all. An edge is the positions of two owners in `owners` and its probability.',
    answer:
      '{"model": 1, "kind": "learned", "owners": ["plant-7", "plant-9", …], "pairs": 45, "mean": 0.31, "histogram": [{"from": 0, "to": 0.05, "count": 12}, …], "edges": [[0, 1, 0.9981], …]}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_MODEL_GRAPH'],
  },
  'GET /v1/federations/{federation}/models/{version}/archive': {
    says: 'The model as a tar archive: a folder with `model.json` and `model.safetensors`, which `f3 predict`, `f3 model show` and `loadModel` read. Scores in the card are told as elsewhere. Each download stands in the audit log.',
    answer: 'application/x-tar',
    errors: ['F3_MODEL_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/models/{version}/evaluation': {
    says: 'How good the model is on its validation part: scores with 95 % intervals, confusion, ROC and precision–recall curves, calibration, and what random absence costs. Of a large part a fixed choice of samples is scored. `told` says whether numbers are exact, rounded to `step` (curves then have 11 points and counts are rounded) or withheld, as the label holder’s rules have it.',
    answer:
      '{"model": 2, "part": "validation", "samples": 400, "of": 400, "classes": […], "owners": […], "told": {"exact": false, "step": 0.02, "withheld": false}, "scores": {"accuracy": 0.9, "f1": 0.9, "auc": 0.96, "prAuc": 0.94, "loss": 0.28}, "intervals": {"accuracy": [0.86, 0.92], …}, "confusion": [[180, 20], [20, 180]], "curves": [{"class": "calm", "roc": [[0, 0], …], "pr": […]}], "calibration": {"error": 0.04, "bins": […]}, "absence": [{"absent": 0.1, "f1": 0.88, …}]}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_EVALUATION', 'F3_BUSY'],
  },
  'GET /v1/federations/{federation}/models/{version}/alignments/{owner}': {
    says: 'The matrix that turns an owner’s embeddings into the common space, row by row; a hard one also as a permutation. Above 128 rows or columns it is averaged in blocks.',
    answer:
      '{"model": 2, "owner": "plant-7", "kind": "soft", "rows": 16, "columns": 16, "values": [0.12, …], "permutation": null, "averaged": false}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_FUSE_OWNER'],
  },
  'POST /v1/federations/{federation}/models/{version}/what-if': {
    says: 'Scores and predictions of the validation part as if these owners were absent. `shift` is how far class probabilities move on average, and depends on no label. Up to 100 samples that change most are listed with predictions, never labels; with ids only for readers who are told everything.',
    answer:
      '{"model": 2, "absent": ["plant-7"], "samples": 400, "of": 400, "classes": […], "told": {…}, "base": {"auc": 0.96, …}, "scores": {"auc": 0.94, …}, "shift": 0.031, "flips": 10, "changed": [{"sample": "#1", "before": {"class": "calm", "probability": 0.61}, "after": {"class": "storm", "probability": 0.55}}]}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_FUSE_OWNER', 'F3_EVALUATION', 'F3_BUSY'],
  },
  'POST /v1/federations/{federation}/models/{version}/criticality': {
    says: 'Finds in the background which owners the model can least afford to lose: each alone, then five together (the costliest, then the one that costs most beside it, and so on, among the twelve costliest). It is kept with the model; asked again, it is answered as GET is.',
    answer:
      '{"model": 2, "state": "running", "done": 0, "of": 250, "told": null, "owners": [], "five": [], "error": null}',
    errors: ['F3_MODEL_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/models/{version}/criticality': {
    says: 'How far that is, and what was found: how much the log loss rises and the AUC falls without an owner, and how far predictions move (`shift`). Owners come in the order of what they cost.',
    answer:
      '{"model": 2, "state": "done", "done": 250, "of": 250, "told": {…}, "owners": [{"owner": "plant-7", "loss": 0.02, "auc": 0.02, "shift": 0.031}, …], "five": [{"owner": "plant-7", …}, …], "error": null}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_EVALUATION'],
  },
  'GET /v1/federations/{federation}/overlap': {
    says: 'Which samples the owners’ newest bundles have in common: per pair of owners (row by row, up to 200 owners), by how many owners saw a sample, and the most frequent groups.',
    answer:
      '{"owners": ["plant-7", "plant-9"], "samples": [4000, 3900], "labelled": [3000, 2950], "pairs": [4000, 3850, 3850, 3900], "sets": [{"owners": 1, "samples": 200}, …], "top": [{"owners": ["plant-7", "plant-9"], "size": 2, "samples": 3850}, …], "all": 4050, "allLabelled": 3020}',
    errors: UNKNOWN,
  },
  'POST /v1/federations/{federation}/models/{version}/activate': {
    says: 'This version answers from now on: a candidate is promoted, a former one comes back. `reason`, if given, stands in the audit log.',
    answer: '{"activeModel": 1}',
    errors: [...UNKNOWN, 'F3_MODEL_UNKNOWN'],
  },
  'POST /v1/federations/{federation}/tokens': {
    says: 'Makes a static token that may predict and read the model’s inputs and outputs in this federation, and nothing else. The secret is answered this once; only its hash is kept. `days: null` for one that never expires.',
    answer: '{"id": "…", "name": "dashboard", "token": "f3t_…", "expires": "2026-08-01T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_TOKEN_EXISTS', 'F3_TOKEN_UNKNOWN', ...KEYED],
  },
  'GET /v1/federations/{federation}/tokens': {
    says: 'Tokens that are not revoked, by name; `lastUsed` is to the minute.',
    answer:
      '{"tokens": [{"id": "…", "name": "dashboard", "created": "…", "createdBy": "ops", "expires": "…", "lastUsed": "…", "expired": false}]}',
    errors: UNKNOWN,
  },
  'POST /v1/federations/{federation}/tokens/{id}/revoke': {
    says: 'The token is refused from now on, by all coordinators that share the database.',
    answer: '{"id": "…", "name": "dashboard", "revoked": "2026-05-02T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_TOKEN_UNKNOWN'],
  },
  'POST /v1/federations/{federation}/predict': {
    says: 'Predicts up to 10,000 samples with whoever is given. JSON `{"samples": [{"id": "s1", "embeddings": {"plant-7": [0.1, …]}}], "graphs": "sampled" | "mean"}`, or an Arrow stream (`application/vnd.apache.arrow.stream`) with columns sample, owner, embedding. An owner that is left out is absent. In a federation on shares samples are those that owners have pushed, `{"samples": [{"id": "s1"}], "without": ["plant-7"]}`, and only their logits are opened, to the coordinator.',
    answer:
      '{"model": 1, "classes": ["calm", "storm"], "predictions": [{"sample": "s1", "class": "storm", "probabilities": [0.2, 0.8], "owners": ["plant-7"]}]}',
    errors: [
      ...MODEL,
      'F3_BUNDLE_FORMAT',
      'F3_BUNDLE_COLUMN',
      'F3_BUNDLE_DUPLICATE',
      'F3_SHARES_AWAY',
      'F3_SHARES_ONLY',
    ],
  },
  'GET /v1/federations/{federation}/live/events': {
    says: 'Predictions as this coordinator makes them, live ones and those of `predict`, as server-sent events: at most 20 a second with up to 100 predictions each, the newest; `skipped` says how many were left out. At first the last ones are sent, with `Last-Event-ID` those after it. The stream ends after `seconds`. Of several coordinators each tells of its own predictions.',
    answer:
      'data: {"classes": ["calm", "storm"], "predictions": [{"number": 7, "at": "…", "sample": "2026-05-01T12:00", "model": 1, "source": "live", "class": "calm", "probabilities": [0.93, 0.07], "present": 11, "owners": 12, "absent": ["plant-7"], "latencyMs": 310, "isLate": true, "canExplain": true}], "skipped": 0}',
    errors: [...UNKNOWN, 'F3_BUSY'],
  },
  'GET /v1/federations/{federation}/live/{sample}/explanation': {
    says: 'Which owners pushed a prediction which way: the active model is asked again without each owner in turn, so effects are exact for this model and need not add up. For the last 200 samples that this coordinator predicted.',
    answer:
      '{"sample": "…", "model": 1, "method": "leave-one-out", "class": "calm", "classes": […], "base": 0.93, "owners": [{"owner": "plant-9", "effect": 0.12}, …], "absent": ["plant-7"]}',
    errors: ['F3_SAMPLE_UNKNOWN', 'F3_MODEL_NONE', 'F3_EVALUATION'],
  },
  'POST /v1/federations/{federation}/live/{sample}': {
    says: 'An owner’s embedding of a sample that others see too. Answers when all owners of the model that are not revoked have sent theirs, or `quorum` of them, or after `deadlineMs`. A sample id that is a time may be written in any form of ISO 8601: owners meet at the same moment, and each is answered with the id as it wrote it. In a federation on shares `share` takes the place of `embedding`: the ticket under which every entity holds its share, and the width.',
    answer:
      '{"sample": "s1", "model": 1, "classes": […], "class": "storm", "probabilities": [0.2, 0.8], "owners": ["plant-7", "plant-9"]}',
    errors: [...MODEL, 'F3_QUOTA', 'F3_SHARES_AWAY', 'F3_SHARES_ONLY', 'F3_SHARES_STORE'],
  },
  'GET /v2': {
    says: 'Open Inference Protocol: the server and what it can beyond the protocol. Errors below this path carry their message as `error` too.',
    answer: '{"name": "f3", "version": "0.1.0", "extensions": ["binary_tensor_data"]}',
  },
  'GET /v2/models/{federation}': {
    says: 'Open Inference Protocol: the active model; an input per owner.',
    answer:
      '{"name": "grid", "versions": ["1"], "platform": "f3", "inputs": [{"name": "plant-7", "datatype": "FP32", "shape": [-1, 16]}], "outputs": […]}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE'],
  },
  'GET /v2/models/{federation}/ready': {
    says: 'Open Inference Protocol: 200 if there is an active model and it is loaded, a refusal otherwise.',
    answer: '{"name": "grid", "ready": true}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE'],
  },
  'POST /v2/models/{federation}/infer': {
    says: `Open Inference Protocol. An input of shape [sample, width] is the owner’s of that name; owners that are not among the inputs are absent. An input named \`embeddings\` of shape [sample, owner, width] holds all owners of the model, if they have one width, in the order in which \`GET /v2/models/{federation}\` lists them. Numbers stand in \`data\`, or as little-endian float32 behind the JSON, in the order of the inputs: then each such input has the parameter \`binary_data_size\`, the header \`Inference-Header-Content-Length\` says how many bytes are JSON, and the type is \`application/octet-stream\`. Both forms get the same answer, to the last bit. \`parameters.graphs: mean\` takes the mean graph instead of sampled ones: one pass, several times cheaper. \`outputs\` may name those that are wanted. \`npm run bench -- server\` measures both.`,
    answer:
      '{"model_name": "grid", "model_version": "1", "outputs": [{"name": "probabilities", "datatype": "FP32", "shape": [3, 2], "data": […]}, {"name": "class", "datatype": "BYTES", "shape": [3], "data": […]}]}',
    errors: MODEL,
  },
  'GET /v2/models/{federation}/versions/{version}': {
    says: 'As without a version, which must be the active one.',
    answer: '{"name": "grid", "versions": ["1"], …}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE', 'F3_MODEL_UNKNOWN'],
  },
  'GET /v2/models/{federation}/versions/{version}/ready': {
    says: 'As without a version, which must be the active one.',
    answer: '{"name": "grid", "ready": true}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE', 'F3_MODEL_UNKNOWN'],
  },
  'POST /v2/models/{federation}/versions/{version}/infer': {
    says: 'As without a version, which must be the active one.',
    answer: '{"model_name": "grid", "model_version": "1", "outputs": […]}',
    errors: [...MODEL, 'F3_MODEL_UNKNOWN'],
  },
  'GET /healthz': { says: 'The process is alive.', answer: '{"status": "ok"}' },
  'GET /readyz': { says: 'Its database answers.', answer: '{"ready": true}', errors: ['F3_NOT_READY'] },
  'GET /v2/health/live': { says: 'As /healthz, for the Open Inference Protocol.', answer: '{"live": true}' },
  'GET /v2/health/ready': { says: 'As /readyz.', answer: '{"ready": true}', errors: ['F3_NOT_READY'] },
  'GET /metrics': {
    says: 'Prometheus metrics.',
    answer: 'f3_requests_total{method="GET",route="/healthz",status="200"} 4',
  },
  'GET /openapi.json': { says: 'This list as an OpenAPI 3 document.', answer: '{"openapi": "3.0.3", …}' },
};
