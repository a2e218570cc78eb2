// A model in detail, alone or beside another: scores, confusion, ROC and precision–recall, calibration, absence, configuration.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ModelEvaluation } from '../../../src/exchange/messages/evaluation.ts';
import type { ModelDetails } from '../../../src/exchange/messages.ts';
import { LineChart, type Series } from '../../charts/line-chart.tsx';
import { inFederation } from '../../coordinator/request.ts';
import { type Loaded, useLoaded } from '../../coordinator/use-loaded.ts';
import { RefusalNotice } from '../../parts/notice.tsx';
import { OnSharesNotice } from '../../parts/on-shares-notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { counted, shownNumber, shownShare } from '../../words/numbers.ts';
import { toldWords } from '../../words/told.ts';
import { ConfigTable } from './config-table.tsx';
import { Confusion } from './confusion.tsx';
import { evaluations, refusals } from './evaluations.ts';
import { ScoreTable } from './score-table.tsx';

interface ComparisonProps {
  federation: string;
  version: number;
  other: number | undefined;
  isOnShares: boolean;
}

/** A model as it is compared: the one that is shown first has the first colour. */
export interface Compared {
  name: string;
  colour: number;
  details: ModelDetails | undefined;
  evaluation: ModelEvaluation | undefined;
}

export function Comparison({ federation, version, other, isOnShares }: ComparisonProps): JSX.Element {
  const first = useLoaded<ModelDetails>(inFederation(federation, 'models', version));
  const second = useLoaded<ModelDetails>(other === undefined ? null : inFederation(federation, 'models', other));
  const compared = (number: number, colour: number, { data }: Loaded<ModelDetails>): Compared => ({
    name: `model ${number}`,
    colour,
    details: data,
    evaluation: evaluations.value.get(`${federation}/${number}`),
  });
  const models = [compared(version, 1, first), ...(other === undefined ? [] : [compared(other, 3, second)])];
  const refusal = first.refusal ?? second.refusal;
  const missing = [version, other].map((one) => refusals.value.get(`${federation}/${one}`)).find(Boolean);
  const [found] = models.flatMap(({ evaluation }) => evaluation ?? []);
  const isWaiting = models.some(({ evaluation }) => !evaluation) && !missing && !isOnShares;
  if (refusal) return <RefusalNotice refusal={refusal} />;
  return (
    <>
      <Panel
        title={models.length > 1 ? `Model ${version} and model ${other}` : 'Scores'}
        remark={found && remarkOf(found)}
      >
        <ScoreTable models={models} />
      </Panel>
      {missing && <RefusalNotice refusal={missing} />}
      {isOnShares && <OnSharesNotice what="Confusion, curves, calibration and what absence costs are" />}
      {isWaiting && (
        <p class="loading" role="status">
          The coordinator predicts the validation part; this takes a few seconds the first time …
        </p>
      )}
      {found && <Pictures models={models} classes={found.classes} />}
      <Panel title={models.length > 1 ? 'Configurations that differ' : 'Configuration'}>
        <ConfigTable models={models} />
      </Panel>
    </>
  );
}

const remarkOf = ({ samples, of, told }: ModelEvaluation): string =>
  `On ${samples < of ? `${counted(samples, 'sample')} of the ${of}` : `the ${counted(samples, 'sample')}`} of the validation part. ${toldWords(told)}`;

function Pictures({ models, classes }: { models: Compared[]; classes: string[] }): JSX.Element {
  const [chosen, setChosen] = useState(classes[classes.length - 1]);
  const known = models.filter(({ evaluation }) => evaluation);
  const series = (points: (evaluation: ModelEvaluation) => [number, number | null][] | undefined): Series[] =>
    known.map(({ name, colour, evaluation }) => ({ name, colour, points: (evaluation && points(evaluation)) ?? [] }));
  const curve = (of: 'roc' | 'pr') => (evaluation: ModelEvaluation) =>
    evaluation.curves?.find((one) => one.class === chosen)?.[of];
  const hasCurves = known.some(({ evaluation }) => evaluation?.curves);
  const hasAbsence = known.some(({ evaluation }) => evaluation?.absence);
  return (
    <>
      <div class="columns">
        {known.map(({ name, evaluation }) => (
          <Panel key={name} title={`Confusion of ${name}`}>
            <Confusion evaluation={evaluation as ModelEvaluation} />
          </Panel>
        ))}
      </div>
      {hasCurves && (
        <Panel
          title="Curves"
          actions={
            <label class="inline">
              Class{' '}
              <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
                {classes.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          }
        >
          <div class="columns">
            <div>
              <h3>ROC</h3>
              <LineChart
                label={`ROC of class ${chosen}.`}
                x="false positive rate"
                y="true positive rate"
                xDomain={[0, 1]}
                yDomain={[0, 1]}
                hasDiagonal
                series={series(curve('roc'))}
              />
            </div>
            <div>
              <h3>Precision and recall</h3>
              <LineChart
                label={`Precision and recall of class ${chosen}.`}
                x="recall"
                y="precision"
                xDomain={[0, 1]}
                yDomain={[0, 1]}
                series={series(curve('pr'))}
              />
            </div>
          </div>
        </Panel>
      )}
      <div class="columns">
        {known.some(({ evaluation }) => evaluation?.calibration) && (
          <Panel title="Calibration" remark={calibrationWords(known)}>
            <LineChart
              label="How often predictions are right, by how sure they are."
              x="probability of the predicted class"
              y="share that is right"
              xDomain={[0, 1]}
              yDomain={[0, 1]}
              hasDiagonal
              series={series((evaluation) =>
                evaluation.calibration?.bins.flatMap(({ confidence, accuracy }) =>
                  confidence === null || accuracy === null ? [] : [[confidence, accuracy] as [number, number]],
                ),
              ).map((one) => ({ ...one, hasDots: true }))}
            />
          </Panel>
        )}
        {hasAbsence && (
          <Panel
            title="What absence costs"
            remark="F1 when a share of the owners is absent, chosen by chance; the band is the deviation."
          >
            <LineChart
              label="F1 by the share of absent owners."
              x="absent owners"
              y="F1"
              showX={(x) => shownShare(x)}
              series={known.map(({ name, colour, evaluation }) => absenceSeries(name, colour, evaluation))}
            />
          </Panel>
        )}
      </div>
    </>
  );
}

function absenceSeries(name: string, colour: number, evaluation: ModelEvaluation | undefined): Series {
  const points = evaluation?.absence ?? [];
  return {
    name,
    colour,
    hasDots: true,
    points: points.map(({ absent, f1 }) => [absent, f1]),
    band: points.flatMap(({ absent, f1, f1Deviation }) =>
      f1 === null || f1Deviation === null
        ? []
        : [[absent, f1 - f1Deviation, f1 + f1Deviation] as [number, number, number]],
    ),
  };
}

const calibrationWords = (models: Compared[]): string =>
  `Expected calibration error: ${models.map(({ name, evaluation }) => `${shownNumber(evaluation?.calibration?.error)} (${name})`).join(', ')}. On the diagonal, a probability is what it says.`;
