// Scores of one model or two, with intervals and the difference.
import type { JSX } from 'preact';
import type { ModelScores } from '../../../src/exchange/messages.ts';
import { shownChange, shownScore } from '../../words/numbers.ts';
import { scoreDigits } from '../../words/told.ts';
import type { Compared } from './comparison.tsx';

const SCORES: [keyof ModelScores, string][] = [
  ['accuracy', 'Accuracy'],
  ['f1', 'F1 (mean over classes)'],
  ['auc', 'ROC AUC'],
  ['prAuc', 'Precision–recall AUC'],
  ['loss', 'Log loss (lower is better)'],
];

export function ScoreTable({ models }: { models: Compared[] }): JSX.Element {
  return (
    <table class="stacks scores">
      <caption>Scores on the validation and the test part</caption>
      <thead>
        <tr>
          <th scope="col">Score</th>
          {models.map(({ name, colour }) => (
            <th key={name} scope="col" class="number">
              <span class={`key c${colour}`} /> {name}, validation
            </th>
          ))}
          {models.length === 2 && (
            <th scope="col" class="number">
              Difference
            </th>
          )}
          {models.map(({ name }) => (
            <th key={name} scope="col" class="number">
              {name}, test
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {SCORES.map(([score, name]) => (
          <tr key={score}>
            <th scope="row">{name}</th>
            {models.map((model) => (
              <td key={model.name} class="number" data-label={`${model.name}, validation`}>
                <span>
                  {shownScore(model.evaluation?.scores[score] ?? model.details?.validation[score], digitsOf(model))}
                  <Range model={model} score={score} />
                </span>
              </td>
            ))}
            {models.length === 2 && (
              <td class="number" data-label="Difference">
                <Difference models={models} score={score} />
              </td>
            )}
            {models.map((model) => (
              <td key={model.name} class="number" data-label={`${model.name}, test`}>
                <span>{shownScore(model.details?.test[score], digitsOf(model))}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const digitsOf = ({ evaluation }: Compared): number => scoreDigits(evaluation?.told);

function Range({ model, score }: { model: Compared; score: keyof ModelScores }): JSX.Element | null {
  const range = model.evaluation?.intervals[score as 'accuracy' | 'f1' | 'auc'];
  if (!range) return null;
  return (
    <span class="spread">
      {shownScore(range[0], digitsOf(model))}–{shownScore(range[1], digitsOf(model))}
    </span>
  );
}

function Difference({ models, score }: { models: Compared[]; score: keyof ModelScores }): JSX.Element {
  const [one, other] = models.map(
    ({ evaluation, details }) => evaluation?.scores[score] ?? details?.validation[score] ?? null,
  );
  if (one === null || other === null) return <span>–</span>;
  const change = one - other;
  const isBetter = score === 'loss' ? change < 0 : change > 0;
  const isSame = Math.abs(change) < 0.0005;
  return (
    <span class={isSame ? '' : isBetter ? 'better' : 'worse'}>
      {shownChange(change, Math.min(...models.map(digitsOf)))}
    </span>
  );
}
