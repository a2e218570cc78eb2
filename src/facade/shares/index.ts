// [owner] [entity] [coordinator] Fusion on shares as a package entry: sharing and opening, an entity, an owner's push, training with simulated entities, the ledger.
export * from '../../errors.ts';
export { type Charter, charterFingerprint } from '../../shares/charter.ts';
export {
  admitCharter,
  createEntity,
  type RunEntityOptions,
  runEntity,
} from '../../shares/entity/run-entity.ts';
export type { RunningEntity } from '../../shares/entity/start-entity.ts';
export { Field, type FieldOperand, type FieldProduct, NUMBER_BYTES, type Numbers } from '../../shares/field.ts';
export { FRACTION_BITS, fromFixedPoint, toFixedPoint, WHOLE_BITS } from '../../shares/fixed-point.ts';
export {
  type LedgerLine,
  type MergedOpening,
  mergedLedger,
  OPENINGS,
  type OpeningName,
} from '../../shares/ledger.ts';
export {
  type CodedForSharing,
  type CodesRequest,
  CodingShelf,
  codedEmbedding,
  type KeptCoding,
} from '../../shares/owner/coding-shelf.ts';
export { type PushedShares, pushShares, type SharesPush } from '../../shares/owner/push-shares.ts';
export type { QuantileCoding } from '../../shares/owner/quantile-codes.ts';
export { type EntityShares, reconstruct } from '../../shares/reconstruct.ts';
export { Scheme } from '../../shares/scheme.ts';
export type { ShareManifest, StatedCoding } from '../../shares/share-manifest.ts';
export { openNumbers, shareNumbers } from '../../shares/share-numbers.ts';
export { type FillRandom, splitNumbers } from '../../shares/split-numbers.ts';
export { fuseWithEntities, type SharedFuseRequest } from './fuse-with-entities.ts';
export type { ModelOnShares, SharedPrediction } from './model-on-shares.ts';
