// [coordinator] Several models as one: p = Σ_m w_m·p_m, sharpened or softened by a temperature, p^(1/T)/Σ p^(1/T). Weights and
// temperature are the likeliest ones for the validation part (expectation maximisation; Guo et al. 2017).

/** How the probabilities of the members become one. */
export interface Mixture {
  /** [member], adding up to 1 */
  weights: number[];
  /** T: above 1 it makes predictions less sure of themselves, below 1 surer. */
  temperature: number;
}

/** Few: the weights stay near equal unless the validation part speaks clearly. */
const WEIGHT_STEPS = 30;
const TEMPERATURES = { low: 0.1, high: 10 } as const;
const TEMPERATURE_STEPS = 60;
/** Standard deviation of log T before anything is seen: a handful of validation samples must not make answers sure beyond measure. */
const TEMPERATURE_SPREAD = 0.1;
/** A probability of zero has no logarithm. */
const TINY = 1e-12;

/** How a mixture is fitted. */
export interface MixtureOptions {
  /** Fit a temperature too; otherwise it is 1. */
  calibrate: boolean;
  /** [row], adding up to 1: how much each counts. By default all count the same. */
  rowWeights?: Float64Array | undefined;
}

/** `members`: the probabilities [row, class] of each; `labels`: [row]. */
export function fitMixture(
  members: readonly Float64Array[],
  labels: ArrayLike<number>,
  classes: number,
  { calibrate, rowWeights }: MixtureOptions,
): Mixture {
  const weights = fitWeights(members, labels, classes, rowWeights);
  if (!calibrate) return { weights, temperature: 1 };
  return { weights, temperature: fitTemperature(mixed(members, weights), labels, classes, rowWeights) };
}

/** → [row, class] */
export function applyMixture(members: readonly Float64Array[], classes: number, mixture: Mixture): Float64Array {
  const mean = mixed(members, mixture.weights);
  return mixture.temperature === 1 ? mean : tempered(mean, classes, mixture.temperature);
}

/** How far the members are apart about the class that the mixture takes: the standard deviation of its probability. → [row] */
export function memberSpread(
  members: readonly Float64Array[],
  predicted: ArrayLike<number>,
  classes: number,
  { weights }: Mixture,
): Float64Array {
  return Float64Array.from({ length: predicted.length }, (_, row) => {
    const at = row * classes + predicted[row];
    const mean = members.reduce((sum, member, m) => sum + weights[m] * member[at], 0);
    const variance = members.reduce((sum, member, m) => sum + weights[m] * (member[at] - mean) ** 2, 0);
    return Math.sqrt(variance);
  });
}

function mixed(members: readonly Float64Array[], weights: readonly number[]): Float64Array {
  return Float64Array.from(members[0], (_, at) => members.reduce((sum, member, m) => sum + weights[m] * member[at], 0));
}

function tempered(probabilities: Float64Array, classes: number, temperature: number): Float64Array {
  const powers = probabilities.map((p) => Math.max(p, TINY) ** (1 / temperature));
  for (let row = 0; row < powers.length; row += classes) {
    const total = powers.subarray(row, row + classes).reduce((sum, p) => sum + p, 0);
    for (let c = 0; c < classes; c++) powers[row + c] /= total;
  }
  return powers;
}

/** Each member's weight becomes its mean share in what the mixture says of the truth, again and again. */
function fitWeights(
  members: readonly Float64Array[],
  labels: ArrayLike<number>,
  classes: number,
  rowWeights: Float64Array | undefined,
): number[] {
  let weights = members.map(() => 1 / members.length);
  if (members.length === 1) return weights;
  for (let step = 0; step < WEIGHT_STEPS; step++) {
    const shares = members.map(() => 0);
    for (let row = 0; row < labels.length; row++) {
      const own = members.map((member, m) => weights[m] * Math.max(member[row * classes + labels[row]], TINY));
      const total = own.reduce((sum, value) => sum + value, 0);
      for (const [m, value] of own.entries()) {
        shares[m] += rowWeights ? (value / total) * rowWeights[row] : value / total / labels.length;
      }
    }
    weights = shares;
  }
  return weights;
}

/** The likeliest T after the labels were seen, if log T was normal around 0 before. Golden sections close in on it. */
function fitTemperature(
  probabilities: Float64Array,
  labels: ArrayLike<number>,
  classes: number,
  rowWeights: Float64Array | undefined,
): number {
  const loss = (logTemperature: number) => {
    const own = tempered(probabilities, classes, Math.exp(logTemperature));
    let sum = 0;
    for (let row = 0; row < labels.length; row++) {
      const loss = -Math.log(Math.max(own[row * classes + labels[row]], TINY));
      sum += rowWeights ? loss * rowWeights[row] * labels.length : loss;
    }
    return sum + 0.5 * (logTemperature / TEMPERATURE_SPREAD) ** 2;
  };
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(TEMPERATURES.low), Math.log(TEMPERATURES.high)];
  for (let step = 0; step < TEMPERATURE_STEPS; step++) {
    const [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
    if (loss(left) < loss(right)) high = right;
    else low = left;
  }
  return Math.exp((low + high) / 2);
}
