// [wire] Sends a file in chunks. A dropped line costs the chunk that was under way, not the file.
import { sha256 } from '../../base/sha256.ts';
import { F3Error } from '../../errors.ts';
import type { StoredUpload, UploadKind } from '../messages.ts';
import type { CoordinatorClient } from './coordinator-client.ts';
import { RequestFailure } from './request-failure.ts';

/** Called with how many of all bytes the coordinator has. */
export type UploadProgress = (received: number, size: number) => void;

/** What an upload is allowed to change. */
export interface UploadOptions {
  /** Embeddings may be of another width than in the owner's last bundle. */
  newWidth?: boolean;
  /** What was sent before and overtaken by a newer version becomes the newest once more. */
  again?: boolean;
  /** The bytes announce a bundle whose embeddings lie in shares with entities. */
  shares?: boolean;
}

/** Bytes of a chunk: it takes a second on a slow line. The coordinator takes up to 8 MiB. */
const CHUNK = 1024 * 1024;
/** Bytes to which chunks shrink on a line that keeps dropping. */
const SMALLEST_CHUNK = 64 * 1024;

/** `sent` counts the bytes that went over the line now: 0 when the coordinator had them all. */
export async function upload(
  client: CoordinatorClient,
  federation: string,
  kind: UploadKind,
  bytes: Uint8Array,
  onProgress?: UploadProgress,
  options: UploadOptions = {},
): Promise<StoredUpload & { sent: number }> {
  const size = bytes.byteLength;
  const hash = sha256(bytes);
  const { id, received, state } = await client.openUpload(federation, {
    kind,
    size,
    sha256: hash,
    ...(options.shares && { shares: true }),
  });
  const isThere = state === 'complete' || received === size;
  onProgress?.(isThere ? size : received, size);
  const sent = isThere ? 0 : await sendFrom(received, client, { federation, id, bytes, onProgress });
  const stored = await client.completeUpload(federation, id, options);
  if (stored.sha256 === hash) return { ...stored, sent };
  throw new F3Error('F3_UPLOAD_HASH', `upload ${id}: SHA-256 must be ${hash}, got ${stored.sha256}`);
}

interface Sending {
  federation: string;
  id: string;
  bytes: Uint8Array;
  onProgress: UploadProgress | undefined;
}

/** Returns how many bytes were sent, those that were lost on the way included. */
async function sendFrom(start: number, client: CoordinatorClient, sending: Sending): Promise<number> {
  const { federation, id, bytes, onProgress } = sending;
  const { connection } = client;
  const { attempts } = connection.backOff;
  let [at, sent, failures, chunk] = [start, 0, 0, CHUNK];
  while (at < bytes.byteLength) {
    const before = at;
    const part = bytes.subarray(at, at + chunk);
    sent += part.byteLength;
    try {
      at = (await client.sendChunk(federation, id, at, part)).received;
      chunk = Math.min(CHUNK, 2 * chunk);
    } catch (error) {
      if (!canResume(error) || failures + 1 >= attempts) throw error;
      if (error.code !== 'F3_UPLOAD_OFFSET') await connection.pause(failures + 1, error);
      chunk = Math.max(SMALLEST_CHUNK, chunk / 2);
      at = (await client.uploadState(federation, id)).received;
    }
    // Only what arrived counts, so a coordinator that stands still is given up in the end.
    failures = at > before ? 0 : failures + 1;
    if (failures >= attempts) {
      throw new F3Error('F3_CLIENT_RESPONSE', `upload ${id}: must advance with each chunk, got stuck at byte ${at}`);
    }
    onProgress?.(at, bytes.byteLength);
  }
  return sent;
}

/** Where the answer to an earlier attempt was lost, the chunk has arrived and only the offset is wrong. */
const canResume = (error: unknown): error is RequestFailure =>
  error instanceof RequestFailure && (!error.isFinal || error.code === 'F3_UPLOAD_OFFSET');
