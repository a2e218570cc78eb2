// [wire] Keys of a member, and operators of a coordinator, as routes tell of them.

/** GET /v1/me/keys */
export interface MemberKeys {
  /** Id of the key that signed the request. */
  signedBy: string;
  /** Keys that were replaced, the newest first, with the time until which each is accepted (ISO 8601). */
  former: { keyId: string; replaced: string; ends: string }[];
}

/** An operator of the whole coordinator. */
export interface ListedOperator {
  owner: string;
  keyId: string;
  joined: string;
  revoked: string | null;
}
