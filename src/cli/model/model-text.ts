// Describes a fused model as text: facts, scores, training curve, owners, edges.
import type { ModelInsight } from '../../fuse/model/inspect-model.ts';
import { alignmentOf, permutationNearness } from '../../fuse/model/owner-alignment.ts';
import { type Edge, edgeHistogram, edgesByStrength } from '../../fuse/model/owner-graph.ts';
import { scoreLines } from '../terminal/score-lines.ts';
import { searchLines } from '../terminal/search-lines.ts';
import { sparkline } from '../terminal/sparkline.ts';
import { aboutModel, percent, toldEpochs } from './model-about.ts';

export const OWNERS_SHOWN = 8;
const TEXT_BINS = 10;
const BAR = 40;
/** An edge with a lower probability is as good as absent. */
const FAINT = 0.01;

export interface ModelTextOptions {
  /** How many of the strongest edges are shown. */
  edges: number;
  /** List every owner. */
  all: boolean;
  /** Numbers of the owners to show; all if it is undefined. */
  owners?: readonly number[] | undefined;
}

export function modelText(dir: string, insight: ModelInsight, options: ModelTextOptions): string {
  const { validation, test, search } = insight.card;
  const about = aboutModel(insight.card);
  const wide = Math.max(...about.map(([label]) => label.length));
  const sections = [
    [`model ${dir}`, ...indent(about.map(([label, text]) => `${label.padEnd(wide)}  ${text}`))],
    ['scores', ...indent(scoreLines({ validation, test }))],
    search ? searchLines(search) : [],
    curveLines(insight),
    ownerLines(insight, options),
    edgeLines(insight, options),
  ];
  return sections.flatMap((lines, i) => (i > 0 && lines.length > 0 ? ['', ...lines] : lines)).join('\n');
}

function curveLines({ card }: ModelInsight): string[] {
  const { bestEpoch } = card;
  const history = toldEpochs(card);
  if (history.length < 2) return [];
  const row = (name: string, values: number[], more = '') => {
    const [first, last] = [values[0], values.at(-1) as number].map((value) => value.toFixed(3));
    return `  ${name}  ${sparkline(values, BAR)}  ${first} → ${last}${more}`;
  };
  const best = history.find(({ epoch }) => epoch === bestEpoch);
  const lowest = best ? `, best ${best.validationLoss.toFixed(3)} (epoch ${bestEpoch})` : '';
  return [
    'loss by epoch',
    row(
      'training  ',
      history.map(({ trainLoss }) => trainLoss),
    ),
    row(
      'validation',
      history.map(({ validationLoss }) => validationLoss),
      lowest,
    ),
  ];
}

function ownerLines({ card, alignment }: ModelInsight, { all, owners }: ModelTextOptions): string[] {
  const numbers = owners ?? card.owners.map((_, number) => number).slice(0, all ? undefined : OWNERS_SHOWN);
  const hard = alignment?.kind === 'hard' ? alignment : undefined;
  const nearness = (number: number) =>
    hard && permutationNearness(alignmentOf(hard, number, card.owners[number].width));
  const head = ['owner', 'width', 'samples', 'bundle sha256', ...(hard ? ['mean row maximum of P'] : [])];
  const rows = numbers.map((number) => {
    const { owner, width, joined, bundle } = card.owners[number];
    const near = nearness(number);
    const mark = near?.roundsToPermutation ? '' : ' (rounds to no permutation)';
    const cells = [owner, String(width), String(joined), bundle.slice(0, 12) || 'none'];
    return near ? [...cells, `${near.meanRowMaximum.toFixed(3)}${mark}`] : cells;
  });
  const hidden = owners ? 0 : card.owners.length - numbers.length;
  const each = hard ? card.owners.map((_, number) => nearness(number)?.meanRowMaximum ?? 0) : [];
  const mean = each.reduce((sum, value) => sum + value, 0) / each.length;
  const summary = `  over all owners: mean row maximum ${mean.toFixed(3)}, lowest ${Math.min(...each).toFixed(3)}; 1 is a permutation`;
  return [
    'owners',
    ...indent(columns([head, ...rows])),
    ...(hidden > 0 ? [`  … ${hidden} more (--all shows them)`] : []),
    ...(hard ? [summary] : []),
  ];
}

function edgeLines({ card, graph }: ModelInsight, options: ModelTextOptions): string[] {
  if (!graph) return [];
  const edges = edgesByStrength(graph, options.owners && new Set(options.owners));
  if (edges.length === 0) return [];
  const ofThese = options.owners ? ' with one of these owners' : '';
  const named = ({ ends }: Edge) => ends.map((end) => card.owners[end].owner).join(' – ');
  if (graph.kind !== 'learned') {
    const there = edges.filter(({ probability }) => probability > 0);
    const names = there.slice(0, options.edges).map((edge) => `  ${named(edge)}`);
    const hidden = there.length - names.length;
    const more = hidden > 0 ? [`  … ${hidden} more (--edges ${there.length} shows them)`] : [];
    return [
      `${graph.kind === 'given' ? 'given edges' : 'edges between neighbours'}: ${there.length} of ${edges.length} pairs${ofThese}`,
      ...names,
      ...more,
    ];
  }
  const mean = edges.reduce((sum, { probability }) => sum + probability, 0) / edges.length;
  const strongest = edges.slice(0, options.edges).map((edge) => [named(edge), edge.probability.toFixed(4)]);
  const equals = edges.filter(({ probability }) => probability === edges[0].probability).length;
  const ties = equals > strongest.length ? ` (the first of ${equals} that are equal)` : '';
  const faint = edges.filter(({ probability }) => probability < FAINT).length;
  const weakest = edges[edges.length - 1];
  return [
    `edge probabilities of ${edges.length} pairs${ofThese}, mean ${mean.toFixed(3)}`,
    ...indent(histogramLines(edges)),
    ...(strongest.length > 0 ? [`strongest${ties}`, ...indent(columns(strongest))] : []),
    `weakest: ${named(weakest)} ${weakest.probability.toFixed(4)}; ${percent(faint / edges.length)} of pairs below ${FAINT}`,
  ];
}

function histogramLines(edges: readonly Edge[]): string[] {
  const bins = edgeHistogram(edges, TEXT_BINS);
  const most = Math.max(...bins.map(({ count }) => count));
  return bins.map(({ from, to, count }) => {
    const bar = count > 0 ? '█'.repeat(Math.max(1, Math.round((BAR * count) / most))) : '';
    return `${from.toFixed(1)}–${to.toFixed(1)}  ${bar}${bar ? ' ' : ''}${count}`;
  });
}

function columns(rows: readonly string[][]): string[] {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  return rows.map((row) =>
    row
      .map((cell, c) => cell.padEnd(widths[c]))
      .join('  ')
      .trimEnd(),
  );
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
