// [coordinator] Notes on the routes of what a federation holds: members, bundles, labels, quotas, audit, uploads.
import { KEYED, type RouteNote, UNKNOWN } from './route-note.ts';

export const FEDERATION_NOTES: Record<string, RouteNote> = {
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
    says: 'Who has joined, what they sent, what was trained: of trainings the newest 100 and all that wait or run, of models the newest 100 and the active one; for operators also who is invited. An owner sees its own entry and counts.',
    answer:
      '{"name": "grid", "classes": […], "activeModel": 1, "counts": {"owners": 3, "bundles": 3, "labels": 1}, "owners": [{"owner": "plant-7", "coordinates": {"latitude": 34.15, "longitude": -118.3}, "bundle": {"version": 1, "sha256": "…", "samples": 4000, "width": 16, …}}], "labelHolders": [{"owner": "control-room", "labels": {"version": 1, "samples": 4000, …}}], "invitations": […], "trainings": […], "models": […]}',
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
  'PUT /v1/federations/{federation}/coordinates': {
    says: 'An owner tells where it is, in degrees, for the map of the dashboard: operators and label holders see it, other owners do not. The audit log says that it did so, not where. It is forgotten when the owner leaves or is revoked.',
    answer: '{"owner": "plant-7", "coordinates": {"latitude": 34.15, "longitude": -118.3}}',
    errors: UNKNOWN,
  },
  'DELETE /v1/federations/{federation}/coordinates': {
    says: 'The owner takes back where it is.',
    answer: '{"owner": "plant-7", "coordinates": null}',
    errors: UNKNOWN,
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
    says: 'Who did what when, oldest first, after the entry with the id `after`; with `order=newest` the newest first, and `before` the id from which on they were seen. `number` and `hash` are its place in the chain of this log.',
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
};
