// Several runs over each other: the validation loss of each by epoch.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TrainingEntry } from '../../../src/exchange/messages/training-list.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shownCount } from '../../words/numbers.ts';
import { traceOf } from './training-trace.ts';
import { curveOf } from './training-view.tsx';

/** Colours that differ most stand first. */
const COLOURS = [1, 3, 4, 5, 6, 7, 8];

export function OverlayChart({ federation, runs }: { federation: string; runs: TrainingEntry[] }): JSX.Element {
  const ids = runs.map(({ id }) => id).join();
  useEffect(() => {
    for (const { id } of runs) void traceOf(id).recall(federation, id);
  }, [federation, ids]);
  const series = runs.map(({ id, method }, at) => ({
    name: `${id.slice(0, 8)} ${method}`,
    colour: COLOURS[at % COLOURS.length],
    points: curveOf(traceOf(id).epochs.value, 'validationLoss'),
  }));
  const unknown = series.filter(({ points }) => points.length === 0).map(({ name }) => name);
  return (
    <Panel
      title="Runs over each other"
      remark="Losses compare only between runs with the same split of the same labels."
    >
      <LineChart
        label="Validation losses by epoch."
        x="epoch"
        y="validation loss"
        showX={(x) => shownCount(Math.round(x))}
        isWhole
        series={series}
      />
      {unknown.length > 0 && <p class="faint">The coordinator kept no epochs of {unknown.join(', ')}.</p>}
    </Panel>
  );
}
