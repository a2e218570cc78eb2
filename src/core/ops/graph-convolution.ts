// Graph convolution Y = ÂX (Eq. 8) with one graph for the batch or one graph per example.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { multiply, multiplyStack } from '../matrix-product.ts';
import { transposed } from './transposed.ts';

/** graph: [n, n] or [batch, n, n], normalised; x: [batch, n, h] → [batch, n, h] */
export function graphConvolution(tape: Tape, graph: Tensor, x: Tensor): Tensor {
  expectShape('graph convolution input', x.shape, ['batch', 'n', 'h']);
  const [batch, n, h] = x.shape;
  const shared = graph.shape.length === 2;
  expectShape('graph convolution graph', graph.shape, shared ? [n, n] : [batch, n, n]);
  const y = tape.result(x.shape, [graph, x]);
  const ofExample = { row: h, stack: n * h };
  const graphStack = shared ? 0 : n * n;
  multiplyStack(tape.engine, batch, {
    m: n,
    n: h,
    k: n,
    a: { at: graph.address, row: n, stack: graphStack },
    b: { at: x.address, ...ofExample },
    c: { at: y.address, ...ofExample },
  });
  tape.record(y, () => {
    const dy = y.gradientAddress;
    if (x.needsGradient) {
      multiplyStack(tape.engine, batch, {
        m: n,
        n: h,
        k: n,
        a: { at: graph.address, row: 1, step: n, stack: graphStack },
        b: { at: dy, ...ofExample },
        c: { at: x.gradientAddress, ...ofExample },
        from: 'itself',
      });
    }
    if (!graph.needsGradient) return;
    // dÂ = Σ_b dY_b X_bᵀ: with both transposed to [batch·h, n] it is one product over batch·h.
    const right = transposed(tape, x.address, batch, n, h);
    if (shared) {
      const left = transposed(tape, dy, batch, n, h);
      multiply(tape.engine, {
        m: n,
        n,
        k: batch * h,
        a: { at: left, row: 1, step: n },
        b: { at: right, row: n },
        c: { at: graph.gradientAddress, row: n },
        from: 'itself',
      });
    } else {
      multiplyStack(tape.engine, batch, {
        m: n,
        n,
        k: h,
        a: { at: dy, row: h, stack: n * h },
        b: { at: right, row: n, stack: n * h },
        c: { at: graph.gradientAddress, row: n, stack: n * n },
        from: 'itself',
      });
    }
  });
  return y;
}
