// [owner] How a shielded model does on validation parts: the label's cross-entropy, and what is left to be told of windows.
import type { Engine } from '../core/engine/engine.ts';
import { gatherRows } from '../core/ops/gather-rows.ts';
import { softmaxCrossEntropy } from '../core/ops/softmax-cross-entropy.ts';
import { squaredDistanceCorrelation } from '../core/ops/squared-distance-correlation.ts';
import { RandomStream } from '../core/random.ts';
import type { LocalModel } from './local-model.ts';
import { SHIELD_STREAM, type Shield } from './shield.ts';
import type { LocalTrainingData } from './train-local-model.ts';

/** Windows of a validation part that are looked at: the distances between them grow with their square. */
const MOST_ROWS = 300;

/** Means over the owners' validation parts. `loss` is what epochs are compared by; `left` is the squared distance correlation. */
export function judgeShield(
  engine: Engine,
  model: LocalModel,
  shield: Shield,
  owners: readonly LocalTrainingData[],
  seed: number,
): { loss: number; left: number } {
  const tape = engine.inferenceTape();
  const blur = new RandomStream(seed, SHIELD_STREAM); // every epoch is judged under the same noise
  let [entropy, left] = [0, 0];
  for (const { windows, labels, validation } of owners) {
    tape.reset();
    const all = shield.seen(tape, model.embed(tape, gatherRows(tape, windows, validation)), blur);
    const truth = Int32Array.from(validation, (row) => labels[row]);
    entropy += softmaxCrossEntropy(tape, model.classify(tape, all), truth).item() / owners.length;
    const rows = Math.min(MOST_ROWS, validation.length);
    if (rows < 2) continue;
    const batch = gatherRows(tape, windows, validation.subarray(0, rows));
    const some = gatherRows(
      tape,
      all,
      Uint32Array.from({ length: rows }, (_, row) => row),
    );
    left += squaredDistanceCorrelation(tape, some, batch.view(rows, batch.size / rows)).item() / owners.length;
  }
  tape.dispose();
  return { loss: entropy + shield.judged * left, left };
}
