// [coordinator] The thread behind `readGraph`: reads one graph from stored bytes and finds its strongest edges.
import { workInBackground } from '../../base/work-in-background.ts';
import { answerQuestions } from '../../base/worker-thread.ts';
import { decodeFusedWeights, type FusedCard } from '../../fuse/model/fused-card.ts';
import { cardGraph } from '../../fuse/model/stored-graph.ts';
import { type GraphSummary, summariseGraph } from '../../fuse/model/strongest-edges.ts';

export interface GraphQuestion {
  card: FusedCard;
  weights: Uint8Array<ArrayBuffer>;
  /** What messages call the model. */
  name: string;
  /** Most edges to return. */
  most: number;
}

/** A float32 holds about this many significant digits. */
const DIGITS = 7;

/** The graph but for its edges, and those as JSON: half a million would hold up the thread that serves requests. */
export interface GraphAnswer extends Omit<GraphSummary, 'edges'> {
  edges: string;
}

workInBackground();
answerQuestions<GraphQuestion, GraphAnswer | undefined>(async ({ card, weights, name, most }) => {
  const graph = cardGraph(card, decodeFusedWeights(weights, card, name));
  if (!graph) return undefined;
  const { edges, ...summary } = summariseGraph(graph, most);
  const listed = edges.map(({ ends, probability }) => [...ends, Number(probability.toPrecision(DIGITS))]);
  return { ...summary, edges: JSON.stringify(listed) };
});
