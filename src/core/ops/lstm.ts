// Long short-term memory over whole sequences: c_t = f∘c_{t−1} + i∘g, h_t = o∘tanh(c_t)
import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { recurrent } from './recurrent.ts';

/**
 * x: [batch, time, in] → hidden states [batch, time, hidden], from a zero state. With v = W x_t + b + U h_{t−1} + d cut
 * into four, i = σ(v₀), f = σ(v₁), g = tanh(v₂), o = σ(v₃): PyTorch's order.
 * W = weightInput: [4·hidden, in], U = weightHidden: [4·hidden, hidden], b, d = biasInput, biasHidden: [4·hidden]
 */
export function lstm(
  tape: Tape,
  x: Tensor,
  weightInput: Tensor,
  weightHidden: Tensor,
  biasInput: Tensor,
  biasHidden: Tensor,
): Tensor {
  const cell = { name: 'lstm', gates: 4, kernel: 'lstmForward' } as const;
  return recurrent(tape, cell, x, { weightInput, weightHidden, biasInput, biasHidden });
}
