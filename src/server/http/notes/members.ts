// [coordinator] Notes on the routes of who asks: enrolment, keys, sessions, operators.
import type { RouteNote } from './route-note.ts';

export const MEMBER_NOTES: Record<string, RouteNote> = {
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
};
