// What the model predicts without the absent owners: scores before and now, and the samples that change most.
import type { JSX } from 'preact';
import type { PartScores } from '../../../src/exchange/messages/evaluation.ts';
import type { WhatIf } from '../../../src/exchange/messages/what-if.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { type Fact, Facts, Panel } from '../../parts/panel.tsx';
import { counted, shownChange, shownScore, shownShare } from '../../words/numbers.ts';
import { scoreDigits, toldWords } from '../../words/told.ts';

interface AnswerProps {
  answer: WhatIf | undefined;
  isAsking: boolean;
  absent: number;
}

export function Answer({ answer, isAsking, absent }: AnswerProps): JSX.Element {
  if (!answer)
    return <p class="loading">The coordinator predicts the validation part; the first time takes a few seconds …</p>;
  const { samples, of, told, shift, flips } = answer;
  const facts: Fact[] = [
    scoreFact('ROC AUC', answer, 'auc'),
    scoreFact('F1', answer, 'f1'),
    scoreFact('Accuracy', answer, 'accuracy'),
    scoreFact('Log loss', answer, 'loss'),
    { name: 'Change class', value: counted(flips, 'sample'), remark: `of ${samples}` },
    { name: 'Probabilities move', value: shownShare(shift, 1), remark: 'on average' },
  ];
  const part = samples < of ? `${samples} of the ${of} samples` : `the ${samples} samples`;
  return (
    <div class={isAsking ? 'stale' : ''} data-test="answer" data-absent={answer.absent.length}>
      <Panel
        title={absent === 0 ? 'With everybody' : `Without ${counted(absent, 'owner')}`}
        remark={`On ${part} of the validation part. ${toldWords(told)}`}
      >
        <Facts facts={facts} />
      </Panel>
      {answer.changed.length > 0 && (
        <Panel title="Samples that change most">
          <DataTable
            caption="Samples whose prediction changes most"
            rows={answer.changed}
            keyOf={({ sample }) => sample}
            perPage={10}
            columns={[
              { name: 'Sample', cell: ({ sample }) => sample, isName: true },
              { name: 'With everybody', cell: ({ before }) => <Prediction of={before} /> },
              {
                name: 'Now',
                cell: ({ before, after }) => <Prediction of={after} isOther={after.class !== before.class} />,
              },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}

function scoreFact(name: string, { scores, base, told }: WhatIf, score: keyof PartScores): Fact {
  const [now, before] = [scores[score], base[score]];
  if (now === null || before === null) return { name, value: '–', remark: 'withheld' };
  const change = now - before;
  const digits = scoreDigits(told);
  const isWorse = score === 'loss' ? change > 0.0005 : change < -0.0005;
  return {
    name,
    value: shownScore(now, digits),
    remark: (
      <span class={isWorse ? 'worse' : ''}>{change === 0 ? 'as with everybody' : shownChange(change, digits)}</span>
    ),
  };
}

const Prediction = ({
  of,
  isOther = false,
}: {
  of: { class: string; probability: number };
  isOther?: boolean;
}): JSX.Element => (
  <span class={isOther ? 'worse' : ''}>
    {of.class} <span class="faint">{shownShare(of.probability)}</span>
  </span>
);
