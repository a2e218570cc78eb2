// What an owner could say instead of its embedding, to show what the answer itself gives away: the local model's belief in numbers,
// rounded or not, the class that it names, or one bit per number of the embedding.
import { answerLevels } from '../../embed/rounded-answers.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';

/**
 * `log-odds`: of every class but the first, against the first; with `answers` rounded to so many levels, as `f3 owner train --answers`
 * does. `class`: the likeliest. `bits`: for every number of the embedding, whether it is above the owner's median.
 */
export type SentForm = 'log-odds' | 'class' | 'bits' | { answers: number };

/** Probabilities below this are taken for this: a model that is sure has no infinite odds. */
const LEAST = 1e-6;

/** The same samples, with what is said of them in the place of embeddings, and without votes. */
export function inForm(bundle: Bundle, form: SentForm): Bundle {
  const { probabilities = new Float32Array(0), classes = 0, ...rest } = bundle;
  if (form === 'bits') return { ...rest, embeddings: answerLevels(bundle.embeddings, bundle.width, 2) };
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
  const embeddings = typeof form === 'object' ? answerLevels(said, width, form.answers) : said;
  return { ...rest, width, embeddings };
}
