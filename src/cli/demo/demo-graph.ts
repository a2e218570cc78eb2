// Compares the consensus graph that `f3 demo` learned with the grid that was simulated.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GridLayout } from '../../figures/grid-map.ts';
import { edgeProbabilities } from '../../fuse/model/edge-probabilities.ts';
import { decodeFusedWeights, parseFusedCard } from '../../fuse/model/fused-card.ts';
import { type Edge, edgesByStrength } from '../../fuse/model/owner-graph.ts';
import { isUnrelated, type MatrixCorrelation, matrixCorrelation } from '../../fuse/scores/matrix-correlation.ts';
import { formatDifference } from '../../reproduce/report/report-cells.ts';
import { locationOf } from '../../server/start-server.ts';
import { readBlob } from '../../storage/blobs.ts';
import { openDatabase } from '../../storage/database/open-database.ts';
import { requireModel } from '../../storage/models.ts';

const STRONGEST = 40;

export interface DemoGraph {
  /** The strongest edges by probability averaged over fits, strongest first. */
  strongest: Edge[];
  /** Number of all pairs of owners. */
  pairs: number;
  /** Rank correlation of edge probabilities, mean over pairs of fits. */
  betweenFits: number;
  /** Correlation of averaged edge probabilities with nearness in the grid. */
  withNearness: MatrixCorrelation;
  plan: GridLayout;
}

/**
 * Reads the graphs from the coordinator's own folder after its process has ended, because the coordinator never sends
 * weights. Returns probabilities [owner, owner] per fit.
 */
export async function readLearnedGraphs(
  coordinator: string,
  federation: string,
  versions: readonly number[],
): Promise<{ owners: string[]; probabilities: Float32Array }[]> {
  const store = await openDatabase(locationOf(coordinator, undefined));
  try {
    const graphs: { owners: string[]; probabilities: Float32Array }[] = [];
    for (const version of versions) {
      const { card: stored, blob } = await requireModel(store.db, federation, version);
      const thing = `model ${version}`;
      const card = parseFusedCard(JSON.stringify(stored), thing);
      const { theta } = decodeFusedWeights(await readBlob(store.db, blob), card, thing);
      const owners = card.owners.map(({ owner }) => owner);
      graphs.push({ owners, probabilities: edgeProbabilities(theta.values, owners.length) });
    }
    return graphs;
  } finally {
    await store.close();
  }
}

/** `dataset` is the folder of the simulated grid, whose truth neither owners nor coordinator have seen. */
export function relateToGrid(
  fits: readonly { owners: string[]; probabilities: Float32Array }[],
  dataset: string,
  seed: number,
): DemoGraph {
  const [{ owners: names, probabilities }] = fits;
  const owners = names.length;
  const mean = probabilities.map((_, at) => fits.reduce((sum, fit) => sum + fit.probabilities[at], 0) / fits.length);
  const { plan, distances } = readGrid(join(dataset, 'truth'), names);
  const apart = fits.flatMap((fit, i) =>
    fits
      .slice(i + 1)
      .map((other) => matrixCorrelation(fit.probabilities, other.probabilities, owners, { seed, shuffles: 0 })),
  );
  return {
    strongest: edgesByStrength({ kind: 'learned', owners, probabilities: mean }).slice(0, STRONGEST),
    pairs: (owners * (owners - 1)) / 2,
    betweenFits: apart.reduce((sum, { correlation }) => sum + correlation, 0) / apart.length,
    withNearness: matrixCorrelation(
      mean,
      distances.map((distance) => -distance),
      owners,
      { seed },
    ),
    plan,
  };
}

/** `distances`: [owner, owner], the electrical distance between the buses that they measure. */
function readGrid(truth: string, names: readonly string[]): { plan: GridLayout; distances: Float64Array } {
  const { buses, lines, pmus } = JSON.parse(readFileSync(join(truth, 'grid.json'), 'utf8')) as {
    buses: GridLayout['buses'];
    lines: GridLayout['lines'];
    pmus: GridLayout['owners'];
  };
  const owners = names.map((name) => {
    const { owner, bus } = pmus.find((pmu) => pmu.owner === name) as GridLayout['owners'][number];
    return { owner, bus };
  });
  const [head, ...rows] = readFileSync(join(truth, 'electrical-distance.csv'), 'utf8').trim().split('\n');
  const columns = head.split(',');
  const table = rows.map((row) => row.split(',').map(Number));
  const distances = Float64Array.from({ length: names.length ** 2 }, (_, at) => {
    const [from, to] = [Math.floor(at / names.length), at % names.length];
    return table[owners[from].bus][columns.indexOf(names[to])];
  });
  const place = ({ x, y }: GridLayout['buses'][number]) => ({ x, y });
  return { plan: { buses: buses.map(place), lines: lines.map(({ from, to }) => ({ from, to })), owners }, distances };
}

/** Says whether the learned graph follows the grid. */
export function graphSentence({ betweenFits, withNearness, pairs }: DemoGraph): string {
  const { correlation, low, high } = withNearness;
  const range = `${formatDifference(low, 2)} to ${formatDifference(high, 2)}`;
  const verdict = isUnrelated(withNearness)
    ? 'the graph does not follow the grid'
    : correlation > 0
      ? 'near owners are linked more than distant ones'
      : 'distant owners are linked more than near ones';
  return (
    `The learned graph: over ${pairs} pairs of owners, edge probability has a rank correlation of ` +
    `${formatDifference(correlation, 2)} with nearness in the grid (shuffled owners: ${range}): ${verdict}. ` +
    `From fit to fit it is ${formatDifference(betweenFits, 2)}.`
  );
}
