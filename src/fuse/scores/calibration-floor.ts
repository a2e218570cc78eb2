// [coordinator] What is left of the expected calibration error when every probability is right: chance, which few samples make large.
import { RandomStream } from '../../core/random.ts';
import { calibration } from './calibration.ts';

const STREAM = 0x666c_6f6f;

/**
 * The mean error of `calibration` over labels that are drawn from the probabilities themselves. probabilities: [sample, class].
 * A model whose error is near this cannot be told from one that is perfectly calibrated.
 */
export function calibrationFloor(
  probabilities: Float64Array,
  classes: number,
  { repeats = 100, seed = 0 }: { repeats?: number; seed?: number } = {},
): number {
  const samples = probabilities.length / classes;
  const draws = new Float32Array(samples);
  let sum = 0;
  for (let repeat = 0; repeat < repeats; repeat++) {
    new RandomStream(seed, STREAM + repeat).fillUniform(draws, 0, 1);
    const labels = Int32Array.from(draws, (draw, row) => {
      let [label, reached] = [0, probabilities[row * classes]];
      while (draw >= reached && label < classes - 1) reached += probabilities[row * classes + ++label];
      return label;
    });
    sum += calibration(probabilities, labels, classes).expectedError;
  }
  return sum / repeats;
}
