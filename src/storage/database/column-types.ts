// [coordinator] Makes both databases give the same JavaScript values: numbers for bigint, bytes for bytea.

const BYTEA = 17;
export const INT8 = 20;

/** These are sizes and counts, of which none comes near 2^53. */
export const parseInt8 = (text: string) => Number(text);

/** PGlite's own conversion of bytes would make a string for each of them. */
export const EMBEDDED_TYPES = {
  serializers: {
    [BYTEA]: (bytes: Uint8Array) =>
      `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`,
  },
  parsers: { [BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'), [INT8]: parseInt8 },
};
