// [coordinator] The graph of a stored model, read in a thread of its own: the weights of ten thousand owners are 400 MB.
import { WorkerThread } from '../../base/worker-thread.ts';
import type { GraphAnswer, GraphQuestion } from './graph-worker.ts';

/** Returns undefined if the model has no edges of its own. The weights are moved to the thread and cannot be used afterwards. */
export async function readGraph(question: GraphQuestion): Promise<GraphAnswer | undefined> {
  const file = new URL('./graph-worker', import.meta.url);
  const thread = new WorkerThread<GraphQuestion, GraphAnswer | undefined>(file, { name: 'f3-graph' });
  try {
    return await thread.ask(question, [question.weights.buffer]);
  } finally {
    await thread.dispose();
  }
}
