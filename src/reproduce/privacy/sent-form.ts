// What an owner could say instead of its embedding, to show what the answer itself gives away: the local model's belief in numbers,
// rounded or not, or the class that it names.
import type { OwnerData } from '../../data/dataset/dataset-format.ts';
import { answerLevels, learnAnswers, roundTo } from '../../embed/rounded-answers.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';

/**
 * `log-odds`: of every class but the first, against the first; with `answers` rounded to so many levels, as `f3 owner train --answers`
 * does, and with `maxRecovery` merged as `--max-recovery` does. `class`: the likeliest.
 */
export type SentForm = 'log-odds' | 'class' | RoundedForm;

/** The answer in levels. */
export interface RoundedForm {
  answers: number;
  maxRecovery?: number;
}

/** The readings of the bundle's owner, in the order of its samples: merging looks at those of the training and validation parts. */
export type KnownReadings = Pick<OwnerData, 'samples' | 'windows' | 'length' | 'variates' | 'labels' | 'parts'>;

/** Probabilities below this are taken for this: a model that is sure has no infinite odds. */
const LEAST = 1e-6;

/** The same samples, with what is said of them in the place of embeddings, and without votes. */
export function inForm(bundle: Bundle, form: SentForm, readings?: KnownReadings): Bundle {
  const { probabilities = new Float32Array(0), classes = 0, ...rest } = bundle;
  const width = classes - 1;
  const said = new Float32Array(bundle.samples.length * width);
  for (let row = 0; row < bundle.samples.length; row++) {
    const beliefs = probabilities.subarray(row * classes, (row + 1) * classes);
    const likeliest = beliefs.indexOf(Math.max(...beliefs));
    for (let c = 1; c < classes; c++) {
      const odds = Math.log(Math.max(beliefs[c], LEAST) / Math.max(beliefs[0], LEAST));
      said[row * width + c - 1] = form === 'class' ? Number(likeliest === c) : odds;
    }
  }
  if (typeof form !== 'object') return { ...rest, width, embeddings: said };
  const embeddings =
    form.maxRecovery !== undefined && readings
      ? mergedLevels(said, width, form, readings)
      : answerLevels(said, width, form.answers);
  return { ...rest, width, embeddings };
}

function mergedLevels(
  said: Float32Array,
  width: number,
  { answers, maxRecovery: limit = 1 }: RoundedForm,
  { windows, length, variates, labels = new Int32Array(), parts = [] }: KnownReadings,
): Float32Array {
  const rowsOf = (part: string) => [...parts.keys()].filter((row) => parts[row] === part);
  const [train, validation] = [rowsOf('train'), rowsOf('validation')];
  const known = [...train, ...validation];
  const size = length * variates.length;
  // Odds against the first class are what logits are whose first is 0.
  const logits = (rows: readonly number[]) =>
    Float32Array.from(rows.flatMap((row) => [0, ...said.subarray(row * width, (row + 1) * width)]));
  const readings = new Float32Array(known.length * size);
  for (const [i, row] of known.entries()) readings.set(windows.subarray(row * size, (row + 1) * size), i * size);
  const { cuts } = learnAnswers(logits(train), width + 1, answers, {
    logits: logits(known),
    labels: Int32Array.from(known, (row) => labels[row]),
    isHeldOut: known.map((_, i) => i >= train.length),
    windows: readings,
    length,
    variates: variates.length,
    limit,
  });
  return roundTo(said, cuts);
}
