// Makes the bytes of a .npy file as numpy.save writes them.

interface NpyContent {
  /** NumPy's type, e.g. <f4, >f8, <i8, <U6. */
  descr: string;
  shape: number[];
  data: NodeJS.ArrayBufferView;
  isFortran?: boolean;
  version?: number;
}

export function writeNpy({ descr, shape, data, isFortran = false, version = 1 }: NpyContent): Buffer {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const header = `{'descr': '${descr}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': (${sizes}), }`;
  const start = version === 1 ? 10 : 12;
  const total = Math.ceil((start + header.length + 1) / 64) * 64;
  const bytes = Buffer.alloc(total, ' ');
  bytes.write('\x93NUMPY', 'latin1');
  bytes.set([version, 0], 6);
  if (version === 1) bytes.writeUInt16LE(total - start, 8);
  else bytes.writeUInt32LE(total - start, 8);
  bytes.write(header, start);
  bytes[total - 1] = 10;
  return Buffer.concat([bytes, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
}

/** Makes a file of a float32 matrix; `values`: [row, width]. */
export function writeFloatNpy(values: number[], width: number): Buffer {
  return writeNpy({ descr: '<f4', shape: [values.length / width, width], data: Float32Array.from(values) });
}
