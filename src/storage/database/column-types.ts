// [coordinator] The same JavaScript values from both databases: bigint as number, bytea as bytes.
import pg from 'pg';

const BYTEA = 17;
const INT8 = 20;

/** Sizes and counts; none comes near 2^53. */
const parseInt8 = (text: string) => Number(text);

/** PGlite's own conversion of bytes makes a string for each of them. */
export const EMBEDDED_TYPES = {
  serializers: {
    [BYTEA]: (bytes: Uint8Array) =>
      `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`,
  },
  parsers: { [BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'), [INT8]: parseInt8 },
};

export const POSTGRES_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? parseInt8 : pg.types.getTypeParser(oid, format)),
};
