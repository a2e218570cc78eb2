// [coordinator] The graph of a stored model, read in a thread of its own: the weights of ten thousand owners are 400 MB.
import { WorkerThread } from '../../base/worker-thread.ts';
import type { GraphSummary } from '../../fuse/model/strongest-edges.ts';
import type { GraphQuestion } from './graph-worker.ts';

/** Nothing where the model has no edges of its own. The weights are the thread's from then on. */
export async function readGraph(question: GraphQuestion): Promise<GraphSummary | undefined> {
  const file = new URL('./graph-worker', import.meta.url);
  const thread = new WorkerThread<GraphQuestion, GraphSummary | undefined>(file, { name: 'f3-graph' });
  try {
    return await thread.ask(question, [question.weights.buffer]);
  } finally {
    await thread.dispose();
  }
}
