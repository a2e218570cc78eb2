// [coordinator] GET /v1/me: tells a member who it is, by the key that signed the request.
import type { TypedApp } from '../app.ts';

const EVERYBODY = ['operator', 'labels', 'owner'] as const;

export function addMe(app: TypedApp): void {
  app.get('/v1/me', { config: { allow: EVERYBODY, hasNoPlace: true } }, async ({ member }) => {
    const { federation, owner, role, keyId, joined } = member;
    return { federation, owner, role, keyId, joined };
  });
}
