// [owner] NumPy's .npy files, versions 1 to 3: a matrix of floats, or a list of ids.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from './canonical-time.ts';
import type { SampleType } from './sample-ids.ts';

interface NpyFile {
  name: string;
  /** The letter of the type and the bytes of an item, e.g. f4, i8, U40. */
  kind: string;
  /** The unit of datetime64, e.g. ns. */
  unit: string | undefined;
  itemBytes: number;
  littleEndian: boolean;
  isFortran: boolean;
  shape: number[];
  data: DataView;
}

/** What a Date can hold. */
const MOST_MILLISECONDS = 8.64e15;
const MAGIC = Buffer.from('\x93NUMPY', 'latin1');

const FLOAT_READERS: Record<string, (data: DataView, at: number, littleEndian: boolean) => number> = {
  f2: (data, at, littleEndian) => halfToNumber(data.getUint16(at, littleEndian)),
  f4: (data, at, littleEndian) => data.getFloat32(at, littleEndian),
  f8: (data, at, littleEndian) => data.getFloat64(at, littleEndian),
};

/** `values`: [row, width], rounded to float32. */
export function readNpyMatrix(bytes: Uint8Array, name: string): { rows: number; width: number; values: Float32Array } {
  const file = parseNpy(bytes, name);
  const { shape } = file;
  requireFloats(file);
  if (shape.length !== 2 || shape[1] === 0) {
    const advice = shape.length === 1 ? '; array.reshape(-1, 1) makes a column of it' : '';
    throw npyError(name, 'must have two dimensions, (samples, width from 1)', `shape (${shape.join(', ')})${advice}`);
  }
  return { rows: shape[0], width: shape[1], values: floatsOf(file) };
}

/** Windows of readings, `values`: [row, time, variate], rounded to float32. An array of two dimensions has one variate. */
export function readNpyWindows(bytes: Uint8Array, name: string) {
  const file = parseNpy(bytes, name);
  const { shape } = file;
  requireFloats(file);
  const [rows, length, variates = 1] = shape;
  if (shape.length < 2 || shape.length > 3 || length === 0 || variates === 0) {
    const rule = 'must have two dimensions, (samples, time), or three, (samples, time, variates)';
    throw npyError(name, rule, `shape (${shape.join(', ')})`);
  }
  return { rows, length, variates, values: floatsOf(file) };
}

function requireFloats(file: NpyFile): void {
  if (!FLOAT_READERS[file.kind]) throw dtypeError(file, 'float16, float32 or float64', 'array.astype("float32")');
}

/** The numbers with the last dimension running fastest, as in C. */
function floatsOf({ kind, itemBytes, littleEndian, isFortran, shape, data }: NpyFile): Float32Array {
  const read = FLOAT_READERS[kind];
  const count = shape.reduce((product, length) => product * length, 1);
  return Float32Array.from({ length: count }, (_, at) => {
    const item = isFortran ? fortranItem(at, shape) : at;
    return read(data, item * itemBytes, littleEndian);
  });
}

/** Where the item stands in an array whose first dimension runs fastest. */
function fortranItem(at: number, shape: readonly number[]): number {
  const strides = shape.map((_, i) => shape.slice(0, i).reduce((product, length) => product * length, 1));
  let [rest, item] = [at, 0];
  for (let i = shape.length - 1; i >= 0; i--) {
    item += (rest % shape[i]) * strides[i];
    rest = Math.floor(rest / shape[i]);
  }
  return item;
}

/** The array must have one dimension, of 32- or 64-bit integers, of texts or of times (datetime64). */
export function readNpyIds(bytes: Uint8Array, name: string): { samples: string[]; sampleType: SampleType } {
  const file = parseNpy(bytes, name);
  const { kind, itemBytes, littleEndian, shape, data } = file;
  if (shape.length !== 1) throw npyError(name, 'ids must have one dimension', `shape (${shape.join(', ')})`);
  const samples = Array.from({ length: shape[0] }, (_, row) => {
    const at = row * itemBytes;
    if (kind === 'i4') return String(data.getInt32(at, littleEndian));
    if (kind === 'i8') return String(data.getBigInt64(at, littleEndian));
    if (kind.startsWith('U')) return canonicalSampleId(readUcs4(data, at, itemBytes, littleEndian));
    const nanoseconds = kind === 'M8' ? NANOSECONDS[file.unit ?? ''] : undefined;
    if (nanoseconds === undefined) throw dtypeError(file, 'int64, int32, str or datetime64', 'ids.astype(str)');
    const time = timeOf(data.getBigInt64(at, littleEndian), nanoseconds);
    if (time !== undefined) return time;
    throw npyError(name, 'times must be within the years 0 to 9999', `another or NaT (row ${row + 1})`);
  });
  return { samples, sampleType: kind.startsWith('i') ? 'integer' : 'text' };
}

function parseNpy(bytes: Uint8Array, name: string): NpyFile {
  const whole = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) {
    const isZip = Buffer.from(bytes.subarray(0, 2)).toString('latin1') === 'PK';
    throw npyError(
      name,
      'must be a .npy file',
      isZip ? 'an .npz archive; save one array with numpy.save' : 'no .npy mark',
    );
  }
  if (bytes.length < 12) throw npyError(name, 'must be a whole .npy file', `${bytes.length} bytes`);
  const version = bytes[6];
  if (version < 1 || version > 3) throw npyError(name, 'must be of .npy version 1, 2 or 3', `version ${version}`);
  const start = version === 1 ? 10 : 12;
  const headerBytes = version === 1 ? whole.getUint16(8, true) : whole.getUint32(8, true);
  const header = Buffer.from(bytes.subarray(start, start + headerBytes)).toString(version === 3 ? 'utf8' : 'latin1');
  const descr = /'descr'\s*:\s*'([<>|=]?)(\w)(\d+)(?:\[(\w+)\])?'/.exec(header);
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  const shape = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(header)?.[1].match(/\d+/g)?.map(Number) ?? [];
  if (bytes.length < start + headerBytes || !order) {
    throw npyError(name, 'must have a whole .npy header', JSON.stringify(header.trim().slice(0, 100)));
  }
  if (!descr) {
    const type = /'descr'\s*:\s*(.*?),\s*'fortran_order'/s.exec(header)?.[1] ?? 'none';
    throw npyError(name, 'dtype must be a plain number or text type', type);
  }
  const [, byteOrder, letter, size, unit] = descr;
  const itemBytes = Number(size) * (letter === 'U' ? 4 : 1);
  const data = new DataView(bytes.buffer, bytes.byteOffset + start + headerBytes, bytes.length - start - headerBytes);
  const expected = shape.reduce((product, length) => product * length, itemBytes);
  const file = { name, kind: letter + size, unit, itemBytes, littleEndian: byteOrder !== '>', shape, data };
  if (data.byteLength === expected) return { ...file, isFortran: order === 'True' };
  const rule = `must hold ${expected} bytes of numbers for shape (${shape.join(', ')}) of ${letter}${size}`;
  throw npyError(name, rule, `${data.byteLength}`);
}

/** Reads IEEE 754 half precision, for which Node 22 has no Float16Array. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * 2 ** -24 * fraction : sign * 2 ** (exponent - 25) * (1024 + fraction);
}

/** Nanoseconds of datetime64's units. Days are dates, not times, and come as texts. */
const NANOSECONDS: Record<string, bigint> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  ns: 1n,
};

/** Writes a time without a zone, as NumPy's times are. Gives undefined for NaT and for times that have no text of this form. */
function timeOf(count: bigint, nanoseconds: bigint): string | undefined {
  const total = count * nanoseconds;
  const fraction = ((total % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const milliseconds = Number((total - fraction) / 1_000_000n);
  if (!(Math.abs(milliseconds) <= MOST_MILLISECONDS)) return undefined;
  const text = new Date(milliseconds).toISOString();
  if (!/^\d{4}-/.test(text)) return undefined;
  return canonicalSampleId(`${text.slice(0, 19)}.${String(fraction).padStart(9, '0')}`);
}

/** NumPy fills texts up with zeros. */
function readUcs4(data: DataView, at: number, bytes: number, littleEndian: boolean): string {
  const codes = Array.from({ length: bytes / 4 }, (_, i) => data.getUint32(at + 4 * i, littleEndian));
  const isText = codes.every((code) => code <= 0x10ffff);
  return isText ? String.fromCodePoint(...codes).replace(/\0+$/, '') : '\ufffd';
}

const dtypeError = ({ name, kind }: NpyFile, types: string, advice: string): F3Error =>
  npyError(name, `dtype must be ${types}`, `${kind}; convert with ${advice}`);

const npyError = (name: string, rule: string, value: string): F3Error =>
  new F3Error('F3_BUNDLE_NPY', `${name}: ${rule}, got ${value}`);
