// [coordinator] Tables of what members send: uploads, their bytes, and the versions that they become.
import type { ColumnType, Insertable, JSONColumnType, Selectable } from 'kysely';
import type { UploadKind, UploadPhase } from '../../exchange/messages.ts';
import type { UploadVerdict } from '../upload-verdicts.ts';
import type { Bytes, JsonObject, Optional, OptionalJson, Stamp } from './column-kinds.ts';

/** Byte strings of any length. What owns one refers to it; deleting a blob deletes its chunks. */
export interface BlobsTable {
  id: string;
  created: Stamp;
}

/** The bytes of blobs in rows of at most 1 MiB, without gaps. */
export interface BlobChunksTable {
  blob: string;
  /** Offset of the first byte in the blob. */
  position: number;
  bytes: Bytes;
}

/** Uploads under way and done. There is one per member, kind and content, so that sending again finds the first. */
export interface UploadsTable {
  id: string;
  federation: string;
  member: string;
  kind: UploadKind;
  /** Hash of the whole content, hexadecimal, as announced; it is checked on completion. */
  sha256: string;
  size: number;
  /** Bytes stored so far, always the length of the blob. */
  received: ColumnType<number, number | undefined, number>;
  state: ColumnType<UploadPhase, UploadPhase | undefined, UploadPhase>;
  /** Version that the upload became, once complete. */
  version: Optional<number>;
  /** Its bytes, of which none are left once they were refused. */
  blob: string;
  /** What the check of the content found; null before it. */
  verdict: OptionalJson<UploadVerdict>;
  /** How often a check was begun and has not ended. */
  checks: ColumnType<number, number | undefined, number>;
  created: Stamp;
  touched: ColumnType<Date, Date | undefined, Date>;
}

/** Content that a member sent, in versions. */
interface ContentTable {
  federation: string;
  version: number;
  member: string;
  blob: string;
  sha256: string;
  size: number;
  /** What the coordinator found in it: samples, width, … */
  summary: JSONColumnType<JsonObject>;
  created: Stamp;
}

/** Owners' bundles. Versions count from 1 per owner; old ones stay until they are deleted. */
export interface BundlesTable extends ContentTable {
  owner: string;
}

/** Versions of bundles that were deleted, without their bytes. */
export interface DeletedBundlesTable {
  federation: string;
  owner: string;
  version: number;
  sha256: string;
  size: number;
  deleted: Stamp;
}

/** Labels of the label holder. Versions count from 1 per federation; old ones stay. */
export type LabelSetsTable = ContentTable;

/** Embeddings that wait for those of other owners, for live prediction. */
export interface LiveEmbeddingsTable {
  federation: string;
  sample: string;
  owner: string;
  /** The numbers as float32, little endian; none where the entities hold them in shares. */
  embedding: Bytes;
  /** On shares: the name under which each entity holds its share. */
  ticket: Optional<string>;
  /** On shares: d. */
  width: Optional<number>;
  expires: Date;
}

export type UploadRow = Selectable<UploadsTable>;

export type BundleRow = Selectable<BundlesTable>;

export type DeletedBundleRow = Selectable<DeletedBundlesTable>;

export type LabelSetRow = Selectable<LabelSetsTable>;

export type NewUpload = Pick<Insertable<UploadsTable>, 'federation' | 'member' | 'kind' | 'sha256' | 'size'>;
