// Gated recurrent unit over whole sequences: h_t = (1 − z)∘n + z∘h_{t−1}
import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { recurrent } from './recurrent.ts';

/**
 * x: [batch, time, in] → hidden states [batch, time, hidden], from a zero state. With W x_t + b and U h_{t−1} + d cut
 * into three, r = σ(w₀ + u₀), z = σ(w₁ + u₁), n = tanh(w₂ + r∘u₂): PyTorch's order and convention. The paper
 * (Supplement A) puts r inside the product, U_n(r∘h_{t−1}), and lets z weigh n instead of h_{t−1}; its permutation
 * argument holds for both, and owners bring weights from PyTorch. W = weightInput: [3·hidden, in], U = weightHidden:
 * [3·hidden, hidden], b, d = biasInput, biasHidden: [3·hidden]
 */
export function gru(
  tape: Tape,
  x: Tensor,
  weightInput: Tensor,
  weightHidden: Tensor,
  biasInput: Tensor,
  biasHidden: Tensor,
): Tensor {
  const cell = { name: 'gru', gates: 3, kernel: 'gruForward' } as const;
  return recurrent(tape, cell, x, { weightInput, weightHidden, biasInput, biasHidden });
}
