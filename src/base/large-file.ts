// Reads and writes files in pieces, because Node moves no more than 2 GiB in one call.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE = 2 ** 30;

/** Replaces what is there. `piece`: most bytes of one call. */
export function writeLargeFile(file: string, bytes: Uint8Array, piece = PIECE): void {
  const handle = openSync(file, 'w');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at, Math.min(piece, bytes.length - at));
  } finally {
    closeSync(handle);
  }
}

export function readLargeFile(file: string, piece = PIECE): Uint8Array<ArrayBuffer> {
  const handle = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(handle).size);
    let at = 0;
    while (at < bytes.length) {
      const read = readSync(handle, bytes, at, Math.min(piece, bytes.length - at), at);
      if (read === 0) break; // it was cut meanwhile
      at += read;
    }
    return at === bytes.length ? bytes : bytes.slice(0, at);
  } finally {
    closeSync(handle);
  }
}
