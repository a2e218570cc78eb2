// The frontier: what is recovered of readings against what the federation scores, one point per row.
import type { TopLevelSpec } from 'vega-lite';
import type { ResultFigure } from '../../figures/result.ts';
import type { DatasetName } from '../experiment.ts';
import { placeLabels } from './place-labels.ts';
import { PRIVACY_FAMILIES, type PrivacyRun } from './privacy-row.ts';

/** Recovery that we aim to stay under, and the F1 that may be lost for it. */
const AIM = { recovered: 0.5, lost: 0.03 };

const SIZE = { width: 560, height: 380 };

export function frontierFigure(dataset: DatasetName, runs: readonly PrivacyRun[], classes: number): ResultFigure {
  const f1Of = ({ fits }: PrivacyRun) => fits.reduce((sum, { test }) => sum + test.f1, 0) / fits.length;
  const values = runs.map((run) => ({
    row: run.row.id,
    family: run.row.family,
    recovered: run.recovery.mean.share,
    f1: f1Of(run),
  }));
  // The scale is fixed here, because labels are placed in pixels.
  const scores = [...values.map(({ f1 }) => f1), f1Of(runs[0]) - AIM.lost];
  const margin = 0.05 * (Math.max(...scores) - Math.min(...scores)) + 0.01;
  const [least, most] = [Math.min(...scores) - margin, Math.max(...scores) + margin];
  const points = values.map(({ row, recovered, f1 }) => ({
    label: row,
    x: recovered * SIZE.width,
    y: ((most - f1) / (most - least)) * SIZE.height,
  }));
  const labels = placeLabels(points, SIZE).map(({ x: at, y: height }, i) => ({
    row: values[i].row,
    recovered: at / SIZE.width,
    f1: most - (height / SIZE.height) * (most - least),
  }));
  const score = classes === 2 ? 'F1' : 'macro F1';
  const rule = { mark: { type: 'rule', strokeDash: [4, 4], opacity: 0.6 } };
  const x = {
    field: 'recovered',
    type: 'quantitative',
    title: "share of the window mean's variance that is recovered",
    scale: { domain: [0, 1], nice: false },
  };
  const y = {
    field: 'f1',
    type: 'quantitative',
    title: `${score} of the federation`,
    scale: { domain: [least, most], nice: false, zero: false },
  };
  const color = {
    field: 'family',
    type: 'nominal',
    sort: PRIVACY_FAMILIES,
    legend: { orient: 'top', title: null },
  };
  const specification = {
    ...SIZE,
    layer: [
      { data: { values: [{ at: AIM.recovered }] }, ...rule, encoding: { x: { field: 'at', type: 'quantitative' } } },
      {
        data: { values: [{ at: f1Of(runs[0]) - AIM.lost }] },
        ...rule,
        encoding: { y: { field: 'at', type: 'quantitative' } },
      },
      {
        data: { values },
        mark: { type: 'point', filled: true, size: 70 },
        encoding: { x, y, color, shape: { field: 'family', type: 'nominal', sort: PRIVACY_FAMILIES } },
      },
      {
        data: { values: labels },
        mark: { type: 'text', align: 'left', baseline: 'middle', fontSize: 10 },
        encoding: { x, y, text: { field: 'row', type: 'nominal' } },
      },
    ],
  } as unknown as TopLevelSpec;
  return {
    name: `privacy-${dataset}`,
    title: 'What is given away, and what it buys',
    caption: `One point per row, mean over seeds. Left of the upright line less than half of the variance of a window's mean is recovered; above the level one ${score} loses at most .03.`,
    specification,
  };
}
