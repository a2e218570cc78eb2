// `f3 reproduce figure-alignment`: hard alignments of a few owners, and how near to permutations those of all owners are.
import { Engine } from '../core/engine/engine.ts';
import { type HistogramBin, histogram } from '../figures/histogram.ts';
import { matrixTiles } from '../figures/matrix-tiles.ts';
import { loadFusedModel } from '../fuse/model/model-folder.ts';
import type { DatasetName, ExperimentContext, ExperimentResult } from './experiment.ts';
import { readConfig } from './experiment-files.ts';
import { findDataset } from './find-dataset.ts';
import type { ScoreRow } from './tables/score-row.ts';
import { scoreRows } from './tables/score-rows.ts';

interface AlignmentConfig {
  title: string;
  summary: string;
  /** What we make of the figures. */
  remarks: string[];
  row: ScoreRow;
  /** Owners whose matrices are drawn. */
  owners: number;
}

export async function figureAlignment(
  context: ExperimentContext,
  { dataset: name }: { dataset: DatasetName },
): Promise<ExperimentResult> {
  const config = readConfig<AlignmentConfig>('figure-alignment');
  const dataset = await findDataset(name, context);
  const [run] = await scoreRows(dataset, [config.row], { ...context, seeds: 1 });
  const { ids, width, alignments } = await readAlignments(run.model as string);
  const largest = rowMaxima(alignments, width);
  const sharp = largest.filter((value) => value > 0.9).length / largest.length;
  const where = dataset.simulated ? `${name}, simulated` : name;
  const maps = ids.slice(0, config.owners).map((id, owner) => ({
    label: `owner ${id}`,
    values: Array.from({ length: width }, (_, row) => {
      const at = (owner * width + row) * width;
      return alignments.subarray(at, at + width);
    }),
  }));
  return {
    name: 'figure-alignment',
    title: config.title,
    dataset: name,
    simulated: dataset.simulated,
    seeds: 1,
    command: `f3 reproduce figure-alignment --dataset ${name}`,
    seconds: run.seconds + run.ownerSeconds,
    summary: config.summary,
    tables: [
      {
        title: 'How near to permutations',
        columns: ['measure', 'value'],
        rows: [
          ['rows whose largest entry exceeds 0.9', { mean: sharp }],
          ['mean largest entry of a row', { mean: largest.reduce((a, b) => a + b, 0) / largest.length }],
          ['owners whose largest entries form a permutation', { mean: permutationShare(alignments, width) }],
        ],
      },
    ],
    figures: [
      {
        name: `figure-alignment-${name}`,
        title: `Learned alignments of ${maps.length} owners, ${where}`,
        caption: 'Doubly stochastic matrices after training; rows are common dimensions, columns the owner’s.',
        specification: matrixTiles(maps, { title: 'entry' }),
      },
      {
        name: `figure-alignment-${name}-rows`,
        title: `Largest entry of each row, ${where}`,
        caption: 'At 1 a row picks exactly one of the owner’s dimensions.',
        specification: histogram(countedByBin(largest), { x: 'largest entry of a row', y: 'rows' }),
      },
    ],
    remarks: [...dataset.remarks, ...(dataset.isGenuine ? config.remarks : [])],
    isRecordable: dataset.isGenuine,
    configuration: config,
    values: { sharp, permutations: permutationShare(alignments, width) },
  };
}

async function readAlignments(dir: string): Promise<{ ids: string[]; width: number; alignments: Float32Array }> {
  const engine = new Engine({ threads: 1 });
  try {
    const model = await loadFusedModel(engine, dir);
    const { facts } = model;
    const alignments =
      model.kind === 'learned' && model.network.kind === 'consensus' ? model.network.alignments() : undefined;
    if (!alignments) throw new Error(`model ${dir}: must have alignments`);
    const width = Math.sqrt(alignments.length / facts.owners.length);
    return { ids: facts.owners.map(({ owner }) => owner), width, alignments };
  } finally {
    await engine.dispose();
  }
}

/** The largest entry of each row. alignments: [owner, d, d] */
function rowMaxima(alignments: Float32Array, width: number): Float32Array {
  return Float32Array.from({ length: alignments.length / width }, (_, row) =>
    alignments.subarray(row * width, (row + 1) * width).reduce((a, b) => Math.max(a, b)),
  );
}

const BINS = 20;

function countedByBin(values: Float32Array): HistogramBin[] {
  const counts = new Uint32Array(BINS);
  for (const value of values) counts[Math.min(BINS - 1, Math.floor(value * BINS))]++;
  return Array.from(counts, (count, i) => ({ from: i / BINS, to: (i + 1) / BINS, count }));
}

/** Share of owners in whose matrix the largest entries of the rows lie in different columns. */
function permutationShare(alignments: Float32Array, width: number): number {
  const owners = alignments.length / width ** 2;
  let count = 0;
  for (let owner = 0; owner < owners; owner++) {
    const columns = new Set<number>();
    for (let row = 0; row < width; row++) {
      const at = (owner * width + row) * width;
      const values = alignments.subarray(at, at + width);
      columns.add(values.indexOf(values.reduce((a, b) => Math.max(a, b))));
    }
    if (columns.size === width) count++;
  }
  return count / owners;
}
