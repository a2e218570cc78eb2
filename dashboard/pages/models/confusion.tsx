// The confusion matrix as a real table, each cell shaded by its share of the true class.
import type { JSX } from 'preact';
import type { ModelEvaluation } from '../../../src/exchange/messages/evaluation.ts';
import { shownCount, shownShare } from '../../words/numbers.ts';

export function Confusion({ evaluation: { confusion, classes } }: { evaluation: ModelEvaluation }): JSX.Element {
  if (!confusion) return <p class="faint">Withheld by the label holder’s rules.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Confusion matrix">
      <table class="confusion">
        <caption>Samples by their true class (rows) and predicted class (columns)</caption>
        <thead>
          <tr>
            <td />
            {classes.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {confusion.map((row, truth) => {
            const total = Math.max(
              1,
              row.reduce((sum, value) => sum + value, 0),
            );
            return (
              <tr key={classes[truth]}>
                <th scope="row">{classes[truth]}</th>
                {row.map((value, predicted) => (
                  <td
                    key={classes[predicted]}
                    class={truth === predicted ? 'number right' : 'number wrong'}
                    title={`${shownShare(value / total, 1)} of the ${classes[truth]} samples`}
                  >
                    <span class="fill" style={{ opacity: (0.85 * value) / total }} aria-hidden="true" />
                    <span class="text">{shownCount(value)}</span>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
