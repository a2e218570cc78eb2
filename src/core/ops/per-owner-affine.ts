// Alignment: y_i = P_i·h_i + b_i, one matrix per owner (Eq. 7), square or rectangular.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { multiplyStack } from '../matrix-product.ts';
import { transposed } from './transposed.ts';

/** x: [batch, owner, in], matrices: [owner, out, in], bias: [owner, out] → [batch, owner, out] */
export function perOwnerAffine(tape: Tape, x: Tensor, matrices: Tensor, bias?: Tensor): Tensor {
  expectShape('per-owner affine input', x.shape, ['batch', 'owner', 'in']);
  const [batch, owners, width] = x.shape;
  expectShape('per-owner affine matrices', matrices.shape, [owners, 'out', width]);
  const out = matrices.shape[1];
  if (bias) expectShape('per-owner affine bias', bias.shape, [owners, out]);
  const y = tape.result([batch, owners, out], [x, matrices, bias]);
  // An owner's rows of x lie `owners · width` apart.
  multiplyStack(tape.engine, owners, {
    m: batch,
    n: out,
    k: width,
    a: { at: x.address, row: owners * width, stack: width },
    b: { at: transposed(tape, matrices.address, owners, out, width), row: out, stack: out * width },
    c: { at: y.address, row: owners * out, stack: out },
    from: bias ? { bias: bias.address, stack: out } : 'zero',
  });
  tape.record(y, () => {
    const dy = y.gradientAddress;
    if (x.needsGradient) {
      multiplyStack(tape.engine, owners, {
        m: batch,
        n: width,
        k: out,
        a: { at: dy, row: owners * out, stack: out },
        b: { at: matrices.address, row: width, stack: out * width },
        c: { at: x.gradientAddress, row: owners * width, stack: width },
        from: 'itself',
      });
    }
    if (matrices.needsGradient) {
      multiplyStack(tape.engine, owners, {
        m: out,
        n: width,
        k: batch,
        a: { at: dy, row: 1, step: owners * out, stack: out },
        b: { at: x.address, row: owners * width, stack: width },
        c: { at: matrices.gradientAddress, row: width, stack: out * width },
        from: 'itself',
      });
    }
    if (bias?.needsGradient) {
      for (let b = 0; b < batch; b++) {
        tape.engine.kernels.addScaled(owners * out, 1, dy + b * owners * out * 4, bias.gradientAddress);
      }
    }
  });
  return y;
}
