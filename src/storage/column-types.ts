// [coordinator] The same JavaScript values from both databases: bigint as number, bytea as bytes.
import pg from 'pg';

const BYTEA = 17;
const INT8 = 20;

/** Sizes and counts; none comes near 2^53. */
const parseInt8 = (text: string) => Number(text);

/** Node's hexadecimal is a hundred times faster than PGlite's own. */
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
