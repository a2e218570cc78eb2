// [wire] The client of a coordinator as a package entry: join, send, train, predict, for owners, label holders, operators.
export * from '../../errors.ts';
export type { AuditKey } from '../audit/audit-file.ts';
export type { AuditHead, UnsignedHead } from '../audit/audit-head.ts';
export type { AppliedPrivacy } from '../bundle/applied-privacy.ts';
export type { NoiseNote, ShieldNote } from '../bundle/privacy-note.ts';
export type { Coordinates } from '../coordinates.ts';
export {
  chooseMembership,
  homeFolder,
  listMemberships,
  type Membership,
  type MembershipChoice,
  type StoredMembership,
} from '../identity/home.ts';
export { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../identity/key-pair.ts';
export {
  type Profile,
  type Profiles,
  readProfiles,
  removeProfile,
  requireProfile,
  saveProfile,
  useProfile,
} from '../identity/profiles.ts';
export { type SignedRequest, signRequest } from '../identity/request-token.ts';
export type { LabelAccess, LabelGrant, LabelRules, ListedGrant } from '../label-access.ts';
export type { ListedOperator, MemberKeys } from '../member-keys.ts';
export type * from '../messages.ts';
export type { QuotaName, Quotas, QuotaUsage } from '../quotas.ts';
export { type BackOff, type Clock, DEFAULT_BACK_OFF } from './back-off.ts';
export { Connection, type ConnectionOptions, type RequestOptions } from './connection.ts';
export { CoordinatorClient } from './coordinator-client.ts';
export { federationShares } from './federation-shares.ts';
export { type JoinFederationOptions, joinFederation } from './join-federation.ts';
export { openMembership, openProfile } from './open-membership.ts';
export { type PredictSamplesOptions, predictSamples, predictShared, type SampleBatch } from './predict-samples.ts';
export { RequestFailure } from './request-failure.ts';
export type { Fetch, FetchInit, TlsOptions } from './tls-fetch.ts';
export { trainingEvents } from './training-events.ts';
export { type UploadOptions, type UploadProgress, upload } from './upload.ts';
