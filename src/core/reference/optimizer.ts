// Reference of optimizer.ts, averaged-weights.ts and clip-gradients.ts in float64.

export interface AdamReference {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay?: number;
}

/** The parameter after each gradient in turn. */
export function adam(start: Float64Array, gradients: readonly Float64Array[], options: AdamReference): Float64Array[] {
  const { learningRate, beta1, beta2, epsilon, weightDecay = 0 } = options;
  const p = start.slice();
  const m = new Float64Array(p.length);
  const v = new Float64Array(p.length);
  return gradients.map((gradient, at) => {
    const correction1 = 1 - beta1 ** (at + 1);
    const correction2 = 1 - beta2 ** (at + 1);
    gradient.forEach((g, i) => {
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      v[i] = beta2 * v[i] + (1 - beta2) * g * g;
      p[i] *= 1 - learningRate * weightDecay;
      p[i] -= ((learningRate / correction1) * m[i]) / (Math.sqrt(v[i]) / Math.sqrt(correction2) + epsilon);
    });
    return p.slice();
  });
}

/** The parameter after each gradient in turn. */
export function sgd(
  start: Float64Array,
  gradients: readonly Float64Array[],
  learningRate: number,
  momentum: number,
): Float64Array[] {
  const p = start.slice();
  const velocity = new Float64Array(p.length);
  return gradients.map((gradient) => {
    gradient.forEach((g, i) => {
      velocity[i] = momentum * velocity[i] + g;
      p[i] -= learningRate * velocity[i];
    });
    return p.slice();
  });
}

/** The running mean after each of the parameter's values in turn; the first value starts it. */
export function average(values: readonly Float64Array[], decay: number): Float64Array[] {
  const mean = values[0].slice();
  return values.map((value) => {
    value.forEach((v, i) => {
      mean[i] = decay * mean[i] + (1 - decay) * v;
    });
    return mean.slice();
  });
}

/** The norm over all gradients, and the gradients after clipping. */
export function clip(gradients: readonly Float64Array[], maxNorm: number): { norm: number; clipped: Float64Array[] } {
  let sum = 0;
  for (const gradient of gradients) for (const g of gradient) sum += g * g;
  const norm = Math.sqrt(sum);
  const scale = Math.min(1, maxNorm / (norm + 1e-6));
  return { norm, clipped: gradients.map((gradient) => gradient.map((g) => scale * g)) };
}
