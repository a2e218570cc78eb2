// [wire] Bundles and labels on their way to the coordinator, and bundles that it holds.
import type { AppliedPrivacy } from '../bundle/applied-privacy.ts';
import type { AnswerObject } from './answer-object.ts';

/** What is sent. */
export type UploadKind = 'bundle' | 'labels';

/** Whether an upload is under way, counts, or was refused for good. */
export type UploadPhase = 'open' | 'complete' | 'refused';

/** How much of an upload has arrived. */
export interface UploadState {
  /** Its id. */
  id: string;
  /** Bytes that the coordinator has for good. */
  received: number;
  /** Whether it is under way, counts, or was refused for good. */
  state: UploadPhase;
}

/** An upload that counts. */
export interface StoredUpload {
  /** A bundle or labels. */
  kind: UploadKind;
  /** The version that it was stored as. */
  version: number;
  /** The version that counts. */
  newest: number;
  /** SHA-256 of its bytes. */
  sha256: string;
}

/** An upload that is not complete. */
export interface OpenUpload {
  id: string;
  kind: UploadKind;
  size: number;
  received: number;
  sha256: string;
  touched: string;
}

/** A version of a bundle that the coordinator holds, and what needs it. */
export interface HeldBundle extends AnswerObject {
  owner: string;
  version: number;
  created: string;
  size: number;
  sha256: string;
  samples?: number;
  width?: number;
  /** What the owner states it did about what the bundle gives away; null for one that was sent before this was kept. */
  privacy?: AppliedPrivacy | null;
  /** The next training learns from it. */
  counts: boolean;
  /** Versions of models that learned from it. */
  models: number[];
  /** Ids of trainings under way that learn from it. */
  trainings: string[];
}
