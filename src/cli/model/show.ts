// `f3 model show`: shows how a fused model was made, how good it is and what it learned, as text, JSON and figures.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { ModelInsight } from '../../fuse/model/inspect-model.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { modelText, OWNERS_SHOWN } from './model-text.ts';

interface Options {
  edges: number;
  owner?: string[];
  all?: boolean;
  figures?: string;
  truth?: string;
  json?: boolean;
}

/** Number of bins of the histogram in JSON and in the figure. */
const BINS = 20;

export function modelShowCommand(): Command {
  return new Command('show')
    .description('show what a model is, how it was trained, its scores, strongest edges and alignments')
    .argument('<dir>', 'folder of the model')
    .option('--edges <n>', 'show this many of the strongest edges', integerFrom(0), 10)
    .option('--owner <id...>', 'show these owners, their edges and their alignments')
    .option('--all', `list every owner, not the first ${OWNERS_SHOWN}`)
    .option(
      '--figures <dir>',
      'draw training-curve.svg, edge-histogram.svg, edges.svg and alignment.svg, as far as the model has them',
    )
    .option('--truth <dir>', 'say how much the model found of a known truth, as f3 data simulate planted writes it')
    .option('--json', 'print one line of JSON: the card and {edges, histogram, alignments, figures, truth}')
    .addHelpText(
      'after',
      `
Edges are the probabilities of the learned graph; a given graph shows its edges, and nearest neighbours, found anew for
every batch, have none to show. Alignments are the matrices P as prediction uses them. A hard alignment is near a
permutation when the mean of its rows' maxima is near 1. Weights are checked against the hash in the card.

Examples:
  f3 model show model
  f3 model show model --owner plant-7 --edges 5
  f3 model show model --figures pictures
  f3 model show model --truth data/planted/truth`,
    )
    .action(runShow);
}

async function runShow(dir: string, { edges, owner, all = false, figures, truth, json }: Options): Promise<void> {
  const { inspectModel } = await import('../../fuse/model/inspect-model.ts');
  const insight = await inspectModel(dir);
  const owners = ownerNumbers(insight, owner, dir);
  const { compareWithTruth, truthLines } = await import('./model-truth.ts');
  const found = truth === undefined ? undefined : await compareWithTruth(insight, truth);
  const drawn = figures === undefined ? undefined : await draw(figures, insight, owners);
  if (json) {
    const extras = { ...(drawn && { figures: drawn }), ...(found && { truth: found }) };
    printResult({ ...(await modelJson(insight, edges, owners)), ...extras }, '', json);
    return;
  }
  const text = modelText(dir, insight, { edges, all, owners });
  const files = drawn?.length === 0 ? ['none: this model has nothing to draw'] : drawn;
  const sections = [
    text,
    ...(found ? ['', ...truthLines(truth as string, found)] : []),
    ...(files ? ['', 'figures', ...files.map((file) => `  ${file}`)] : []),
  ];
  printResult(insight.card, sections.join('\n'), json);
}

/** Returns the numbers of the owners that were asked for, in that order. */
function ownerNumbers({ card }: ModelInsight, ids: readonly string[] | undefined, dir: string): number[] | undefined {
  return (
    ids &&
    [...new Set(ids)].map((id) => {
      const number = card.owners.findIndex(({ owner }) => owner === id);
      if (number >= 0) return number;
      throw new F3Error('F3_FUSE_OWNER', `--owner: must be an owner of model ${dir}, got ${id}`);
    })
  );
}

/** Figures are drawn before anything is printed, so that a folder that cannot be written is the only thing reported. */
async function draw(dir: string, insight: ModelInsight, owners: number[] | undefined): Promise<string[]> {
  const { modelFigures } = await import('./model-figures.ts');
  const { writeFigures } = await import('../figure-files.ts');
  const figures = await modelFigures(insight, { bins: BINS, owners });
  return Object.keys(figures).length === 0 ? [] : writeFigures(dir, figures);
}

async function modelJson({ card, graph, alignment }: ModelInsight, count: number, owners: number[] | undefined) {
  const { edgeHistogram, edgesByStrength } = await import('../../fuse/model/owner-graph.ts');
  const { alignmentOf, permutationNearness } = await import('../../fuse/model/owner-alignment.ts');
  const edges = graph ? edgesByStrength(graph, owners && new Set(owners)) : [];
  const strongest = edges.slice(0, count).map(({ ends, probability }) => ({
    owners: ends.map((end) => card.owners[end].owner),
    probability,
  }));
  const shown = owners ?? card.owners.map((_, number) => number);
  return {
    ...card,
    ...(graph && { edges: strongest, histogram: edgeHistogram(edges, BINS) }),
    ...(alignment?.kind === 'hard' && {
      alignments: shown.map((number) => {
        const { owner, width } = card.owners[number];
        return { owner, ...permutationNearness(alignmentOf(alignment, number, width)) };
      }),
    }),
  };
}
