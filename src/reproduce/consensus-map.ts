// The learned consensus graph on the map of the sensors, where their positions are known.
import { readLocations } from '../data/import/read-locations.ts';
import { graphMap, type MapEdge, type MapPoint, PHONE_MAP_WIDTH } from '../figures/graph-map.ts';
import type { ResultFigure } from '../figures/result.ts';
import { edgeProbabilities } from '../fuse/model/edge-probabilities.ts';
import { readFusedCard, readFusedWeights } from '../fuse/model/model-folder.ts';
import type { FoundDataset } from './find-dataset.ts';
import { formatSeeds } from './report/report-cells.ts';
import type { ScoreRun } from './tables/score-row.ts';

/** How many edges are drawn. */
const STRONGEST = 300;

/**
 * Draws the likeliest edges of `row`, by their probability averaged over seeds: what one seed happened to choose averages
 * out, what the data asks for stays. There is no figure where positions are unknown or the row has no model.
 */
export async function consensusMap(
  name: string,
  row: string | undefined,
  byRow: ReadonlyMap<string, ScoreRun[]>,
  dataset: FoundDataset,
): Promise<ResultFigure[]> {
  const models = (byRow.get(row ?? '') ?? []).flatMap(({ model }) => model ?? []);
  if (!dataset.locations || models.length === 0) return [];
  const positions = await readLocations(dataset.locations);
  const { owners, mean } = await meanProbabilities(models);
  const placed = owners.flatMap((id, slot) => (positions.has(id) ? [slot] : []));
  const points = placed.map((slot) => positions.get(owners[slot]) as MapPoint);
  const edges: MapEdge[] = placed.flatMap((i, from) =>
    placed.slice(from + 1).map((j, rest) => ({ from, to: from + 1 + rest, probability: mean[i * owners.length + j] })),
  );
  const shown = edges.length > STRONGEST ? `The ${STRONGEST} likeliest of ${edges.length} edges` : 'All edges';
  return [
    {
      name: `${name}-${dataset.name}-graph`,
      title: `Consensus graph of row ${row} on the map, ${dataset.name}`,
      caption: `${shown} by probability, averaged over ${formatSeeds(models.length)}.`,
      specification: graphMap(points, edges, { strongest: STRONGEST }),
      narrow: graphMap(points, edges, { strongest: STRONGEST, width: PHONE_MAP_WIDTH }),
    },
  ];
}

async function meanProbabilities(models: readonly string[]): Promise<{ owners: string[]; mean: Float64Array }> {
  let owners: string[] = [];
  let mean = new Float64Array();
  for (const dir of models) {
    const card = await readFusedCard(dir);
    const { theta } = await readFusedWeights(dir, card);
    owners = card.owners.map(({ owner }) => owner);
    const probabilities = edgeProbabilities(theta.values, owners.length);
    mean = mean.length === 0 ? new Float64Array(probabilities.length) : mean;
    probabilities.forEach((value, i) => {
      mean[i] += value / models.length;
    });
  }
  return { owners, mean };
}
