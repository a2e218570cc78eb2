// Arranges owners by force in a thread of its own: tied ones come close. It sends positions as they settle.
import iterate from 'graphology-layout-forceatlas2/iterate';

/** The first message: positions to start from [owner, 2], and edges [edge, 3] as two owners and a weight. */
export interface LayoutRequest {
  positions: Float32Array;
  edges: Float32Array;
  steps: number;
}

/** An answer: positions [owner, 2], and how much of the work is done. */
export interface LayoutAnswer {
  positions: Float32Array;
  done: number;
}

/** Numbers of a node and of an edge in the matrices that the layout works on. */
const [NODE, EDGE] = [10, 3];
/** Showing the positions of many owners takes the page longer than computing them. */
const sendEvery = (owners: number): number => (owners > 3000 ? 1000 : owners > 1000 ? 250 : 60);

interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
  postMessage(answer: LayoutAnswer, transfer: Transferable[]): void;
}
const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data: { positions, edges, steps } }) => {
  const owners = positions.length / 2;
  const nodes = new Float32Array(owners * NODE);
  for (let i = 0; i < owners; i++) {
    nodes.set([positions[2 * i], positions[2 * i + 1], 0, 0, 0, 0, 1, 1, 1, 0], i * NODE);
  }
  const ties = new Float32Array(edges.length);
  for (let e = 0; e < edges.length; e += EDGE) {
    const [from, to, weight] = edges.subarray(e, e + EDGE);
    nodes[from * NODE + 6] += weight;
    nodes[to * NODE + 6] += weight;
    ties.set([from * NODE, to * NODE, weight], e);
  }
  const settings = settingsFor(owners);
  const pause = sendEvery(owners);
  let sent = performance.now();
  for (let step = 1; step <= steps; step++) {
    iterate(settings, nodes, ties);
    if (step < steps && performance.now() - sent < pause) continue;
    sent = performance.now();
    const moved = new Float32Array(owners * 2);
    for (let i = 0; i < owners; i++) moved.set([nodes[i * NODE], nodes[i * NODE + 1]], 2 * i);
    scope.postMessage({ positions: moved, done: step / steps }, [moved.buffer]);
  }
};

function settingsFor(owners: number): object {
  return {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 10,
    strongGravityMode: true,
    gravity: 0.3,
    slowDown: 1 + Math.log(owners),
    barnesHutOptimize: owners > 800,
    barnesHutTheta: 0.8,
  };
}
