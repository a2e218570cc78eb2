// [owner] Complex numbers as pairs, for the few places where clarity beats speed; hot loops write out both parts.

export type Complex = readonly [re: number, im: number];

export function add(a: Complex, b: Complex): Complex {
  return [a[0] + b[0], a[1] + b[1]];
}

export function subtract(a: Complex, b: Complex): Complex {
  return [a[0] - b[0], a[1] - b[1]];
}

export function multiply(a: Complex, b: Complex): Complex {
  return [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
}

export function inverse(a: Complex): Complex {
  const norm = a[0] * a[0] + a[1] * a[1];
  return [a[0] / norm, -a[1] / norm];
}

export function scale(a: Complex, factor: number): Complex {
  return [a[0] * factor, a[1] * factor];
}

/** Entry k of an array laid out [k, re/im]. */
export function at(values: Float64Array, k: number): Complex {
  return [values[2 * k], values[2 * k + 1]];
}
