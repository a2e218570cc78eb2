// Losses by epoch as a Vega-Lite specification.
import type { TopLevelSpec } from 'vega-lite';
import { SERIES } from './report-figure.ts';

export interface TrainingCurves {
  label: string;
  /** The loss of each epoch, for each seed. */
  seeds: readonly ArrayLike<number>[];
}

/** Takes the place of a seed's number where the mean of all seeds is drawn. */
const MEAN = 'mean';
/** Width in pixels of a panel that stands among others. */
const PANEL_WIDTH = 220;

/**
 * Draws each seed as a thin line and their mean as a bold one, as far as all of them trained. Where there are more curves
 * than colours, each has a panel of its own.
 */
export function trainingCurves(
  curves: readonly TrainingCurves[],
  { y = 'loss', log = false }: { y?: string; log?: boolean } = {},
): TopLevelSpec {
  const labels = curves.map(({ label }) => label);
  const isApart = labels.length > SERIES.length;
  const values = curves.flatMap(curvePoints).filter(({ value }) => Number.isFinite(value) && (!log || value > 0));
  const axis = { grid: false, tickMinStep: 1, tickCount: isApart ? 4 : 8 } as const;
  const scale = log ? ({ type: 'log', nice: false } as const) : ({ zero: false } as const);
  const legend = { orient: 'top', title: null, columns: 3, symbolOpacity: 1, symbolStrokeWidth: 2.5 } as const;
  const color = { field: 'label', type: 'nominal', sort: labels, scale: { domain: labels } } as const;
  const encoding = {
    x: { field: 'epoch', type: 'quantitative', title: 'epoch', axis },
    y: { field: 'value', type: 'quantitative', title: y, scale, axis: { domain: false } },
    ...(!isApart && { color: { ...color, legend: labels.length > 1 ? legend : null } }),
  } as const;
  const line = { type: 'line', strokeJoin: 'round' } as const;
  const layer = [
    {
      transform: [{ filter: `datum.seed !== '${MEAN}'` }],
      mark: { ...line, strokeWidth: 1, opacity: 0.35 },
      encoding: { ...encoding, detail: { field: 'seed' } },
    },
    { transform: [{ filter: `datum.seed === '${MEAN}'` }], mark: { ...line, strokeWidth: 2.5 }, encoding },
  ];
  if (!isApart) return { width: 560, height: 260, data: { values }, layer };
  const header = { labelFontSize: 11, labelFontWeight: 'normal', labelLimit: 1.25 * PANEL_WIDTH } as const;
  const facet = { field: 'label', type: 'nominal', sort: labels, title: null, header } as const;
  return { data: { values }, facet, columns: 3, spec: { width: PANEL_WIDTH, height: 90, layer } };
}

function curvePoints({ label, seeds }: TrainingCurves) {
  const point = (seed: string, epoch: number, value: number) => ({ label, seed, epoch: epoch + 1, value });
  const shortest = seeds.length === 0 ? 0 : Math.min(...seeds.map((losses) => losses.length));
  const mean = (epoch: number) => seeds.reduce((sum, losses) => sum + losses[epoch], 0) / seeds.length;
  return [
    ...seeds.flatMap((losses, seed) => Array.from(losses, (loss, epoch) => point(`${seed}`, epoch, loss))),
    ...Array.from({ length: shortest }, (_, epoch) => point(MEAN, epoch, mean(epoch))),
  ];
}
