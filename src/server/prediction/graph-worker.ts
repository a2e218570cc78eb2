// [coordinator] The thread behind `readGraph`: reads one graph from stored bytes and finds its strongest edges.
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

answerQuestions<GraphQuestion, GraphSummary | undefined>(async ({ card, weights, name, most }) => {
  const graph = cardGraph(card, decodeFusedWeights(weights, card, name));
  return graph && summariseGraph(graph, most);
});
