// Draws figures of a fused model, as far as it has them: training curve, edge probabilities, alignments.
import type { TopLevelSpec } from 'vega-lite';
import { alignmentFigure } from '../../figures/alignment-figure.ts';
import { edgesFigure } from '../../figures/edges-figure.ts';
import { svgFigure } from '../../figures/svg-figure.ts';
import type { ModelInsight } from '../../fuse/model/inspect-model.ts';
import { edgeHistogram, edgesByStrength, type OwnerGraph } from '../../fuse/model/owner-graph.ts';
import { toldEpochs } from './model-about.ts';

const ALIGNMENTS_DRAWN = 6;
const TRAINING = '#2563eb';
const VALIDATION = '#ea580c';

export interface ModelFigureOptions {
  /** Number of bins of the histogram. */
  bins: number;
  /** Numbers of the owners whose alignments are drawn. Default: the first few. */
  owners?: readonly number[] | undefined;
}

/** File name → SVG */
export async function modelFigures(
  { card, graph, alignment }: ModelInsight,
  { bins, owners }: ModelFigureOptions,
): Promise<Record<string, string>> {
  const drawn = owners ?? card.owners.map((_, number) => number).slice(0, ALIGNMENTS_DRAWN);
  const specifications: Record<string, TopLevelSpec | undefined> = {
    'training-curve.svg': toldEpochs(card).length > 1 ? trainingCurve(card) : undefined,
    'edge-histogram.svg': graph?.kind === 'learned' && graph.owners > 1 ? histogramFigure(graph, bins) : undefined,
    'edges.svg':
      graph &&
      edgesFigure(
        graph,
        card.owners.map(({ owner }) => owner),
      ),
    'alignment.svg': alignment && alignmentFigure(alignment, card.owners, drawn),
  };
  const figures: Record<string, string> = {};
  for (const [name, specification] of Object.entries(specifications)) {
    if (specification) figures[name] = await svgFigure(specification);
  }
  return figures;
}

function trainingCurve(card: ModelInsight['card']): TopLevelSpec {
  const { bestEpoch } = card;
  const history = toldEpochs(card);
  const rows = history.flatMap(({ epoch, trainLoss, validationLoss }) => [
    { epoch, part: 'training', loss: trainLoss },
    { epoch, part: 'validation', loss: validationLoss },
  ]);
  const best = history.filter(({ epoch }) => epoch === bestEpoch);
  const last = history.at(-1)?.epoch ?? 1;
  // A centred text near an edge would reach beyond the picture.
  const align = bestEpoch > 0.8 * last ? 'right' : bestEpoch < 0.2 * last ? 'left' : 'center';
  const label = best.map(({ epoch, validationLoss }) => `best epoch ${epoch}: ${validationLoss.toFixed(3)}`);
  return {
    title: {
      text: 'Loss of the fused model by epoch',
      subtitle: 'The weights of the best epoch are kept',
      offset: 24,
      subtitleColor: '#4b5563',
    },
    width: 560,
    height: 280,
    layer: [
      {
        data: { values: rows },
        mark: { type: 'line', strokeWidth: 1.5 },
        encoding: {
          x: {
            field: 'epoch',
            type: 'quantitative',
            axis: { title: 'epoch', grid: false, tickMinStep: 1 },
            scale: { nice: false },
          },
          y: {
            field: 'loss',
            type: 'quantitative',
            axis: { title: 'mean loss per sample (nats)' },
            scale: { zero: false },
          },
          color: {
            field: 'part',
            type: 'nominal',
            scale: { domain: ['training', 'validation'], range: [TRAINING, VALIDATION] },
            legend: { title: null, labelFontSize: 12, symbolStrokeWidth: 2 },
          },
        },
      },
      {
        data: { values: best },
        mark: { type: 'rule', strokeDash: [4, 3], color: '#6b7280' },
        encoding: { x: { field: 'epoch', type: 'quantitative' } },
      },
      {
        data: { values: best },
        mark: { type: 'point', filled: true, size: 50, color: VALIDATION, opacity: 1 },
        encoding: {
          x: { field: 'epoch', type: 'quantitative' },
          y: { field: 'validationLoss', type: 'quantitative' },
        },
      },
      {
        data: { values: best.map(({ epoch }) => ({ epoch, label: label[0] })) },
        mark: { type: 'text', baseline: 'bottom', dy: -4, fontSize: 12, color: '#374151', align },
        encoding: {
          x: { field: 'epoch', type: 'quantitative' },
          y: { value: 0 },
          text: { field: 'label' },
        },
      },
    ],
  };
}

function histogramFigure(graph: OwnerGraph, bins: number): TopLevelSpec {
  const edges = edgesByStrength(graph);
  const mean = edges.reduce((sum, { probability }) => sum + probability, 0) / edges.length;
  return {
    title: {
      text: `Learned edge probabilities of ${edges.length.toLocaleString('en')} pairs of owners`,
      subtitle: `mean ${mean.toFixed(3)}`,
      subtitleColor: '#4b5563',
    },
    width: 480,
    height: 260,
    data: { values: edgeHistogram(edges, bins) },
    mark: { type: 'bar', binSpacing: 1 },
    encoding: {
      x: {
        field: 'from',
        bin: { binned: true, step: 1 / bins },
        type: 'quantitative',
        scale: { domain: [0, 1] },
        axis: {
          title: 'edge probability',
          values: [0, 0.2, 0.4, 0.6, 0.8, 1],
          format: '.1f',
          grid: false,
          labelFlush: false,
        },
      },
      x2: { field: 'to' },
      y: { field: 'count', type: 'quantitative', title: 'pairs of owners', axis: { tickMinStep: 1 } },
    },
  };
}
