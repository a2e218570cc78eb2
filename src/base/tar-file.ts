// Writes a tar archive (POSIX ustar) of a few files as a stream, so that large ones need not lie in memory.

export interface ArchivedFile {
  /** At most 100 bytes. */
  name: string;
  size: number;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const BLOCK = 512;
const MOST_NAME_BYTES = 100;

/** `files` must be as long as they say. The times of all files are `modified`. */
export async function* tarFile(files: readonly ArchivedFile[], modified: Date): AsyncGenerator<Uint8Array> {
  for (const { name, size, content } of files) {
    yield header(name, size, modified);
    let written = 0;
    for await (const bytes of content) {
      written += bytes.length;
      yield bytes;
    }
    if (written !== size) throw new Error(`file ${name} of an archive: must have ${size} bytes, got ${written}`);
    const rest = (BLOCK - (size % BLOCK)) % BLOCK;
    if (rest > 0) yield new Uint8Array(rest);
  }
  yield new Uint8Array(2 * BLOCK);
}

function header(name: string, size: number, modified: Date): Uint8Array {
  if (Buffer.byteLength(name) > MOST_NAME_BYTES) throw new Error(`name in an archive: must be short, got ${name}`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  // Eleven octal digits reach to 8 GiB; larger sizes are written in binary, as GNU tar does.
  if (size < 8 ** 11) block.write(octal(size, 11), 124);
  else block.writeBigUInt64BE(BigInt(size), 128);
  if (size >= 8 ** 11) block[124] = 0x80;
  block.write(octal(Math.floor(modified.getTime() / 1000), 11), 136);
  block.fill(' ', 148, 156); // the checksum is taken as if it were blank
  block.write('0', 156);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
