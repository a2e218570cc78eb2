// y = xW + b

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { addRowSums, multiply, multiplyLong } from '../matrix-product.ts';
import { transposed } from './transposed.ts';

/** x: [..., in], weight: [in, out], bias: [out] → [..., out] */
export function affine(tape: Tape, x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const width = x.shape[x.shape.length - 1];
  expectShape('affine weight', weight.shape, [width, 'out']);
  const out = weight.shape[1];
  if (bias) expectShape('affine bias', bias.shape, [out]);
  const rows = x.size / width;
  const y = tape.result([...x.shape.slice(0, -1), out], [x, weight, bias]);
  multiply(tape.engine, {
    m: rows,
    n: out,
    k: width,
    a: { at: x.address, row: width },
    b: { at: weight.address, row: out },
    c: { at: y.address, row: out },
    from: bias ? { bias: bias.address } : 'zero',
  });
  tape.record(y, () => {
    const dy = y.gradientAddress;
    if (x.needsGradient) {
      const transposedWeight = transposed(tape, weight.address, 1, width, out);
      multiply(tape.engine, {
        m: rows,
        n: width,
        k: out,
        a: { at: dy, row: out },
        b: { at: transposedWeight, row: width },
        c: { at: x.gradientAddress, row: width },
        from: 'itself',
      });
    }
    if (weight.needsGradient) {
      multiplyLong(tape, {
        m: width,
        n: out,
        k: rows,
        a: { at: x.address, row: 1, step: width },
        b: { at: dy, row: out },
        c: { at: weight.gradientAddress, row: out },
      });
    }
    if (bias?.needsGradient) addRowSums(tape, rows, out, dy, bias.gradientAddress);
  });
  return y;
}
