// [coordinator] Shows the consensus graph of a stored model: its strongest edges and the distribution of all of them.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { MOST_EDGES, type ModelGraph } from '../../exchange/messages.ts';
import { parseFusedCard } from '../../fuse/model/fused-card.ts';
import { readBlob } from '../../storage/blobs.ts';
import { requireModel } from '../../storage/models.ts';
import type { Db } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import { FairQueue } from '../fair-queue.ts';
import { readGraph } from '../prediction/graph-thread.ts';
import { modelVersion } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const READERS = ['operator', 'labels'] as const;
const EDGES = 1000;
/** Graphs are read one at a time: the weights of ten thousand owners are 400 MB. */
const WAITING = { mostWaiting: 32, mostPerAsker: 4 };
const busy = () => new F3Error('F3_BUSY', 'graphs: few may wait to be read, got too many; try again');

const params = federationParams.extend({ version: modelVersion });
const querystring = z.object({ edges: z.coerce.number().int().min(0).max(MOST_EDGES).default(EDGES) });

export function addModelGraph(app: TypedApp, { store: { db } }: ServerContext): void {
  const queue = new FairQueue({ ...WAITING, refusal: busy });
  app.get(
    '/v1/federations/:federation/models/:version/graph',
    { schema: { params, querystring }, config: { allow: READERS, counted: 'model.read' } },
    async ({ params: { federation, version }, query: { edges }, member }, reply) => {
      const text = await queue.run(member.id, () => graphText(db, federation, version, edges));
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );
}

/** JSON of a `ModelGraph`. */
async function graphText(db: Db, federation: string, version: number, most: number): Promise<string> {
  const model = await requireModel(db, federation, version);
  const name = `model ${version} of ${federation}`;
  const card = parseFusedCard(JSON.stringify(model.card), name);
  const graph = await readGraph({ card, weights: await readBlob(db, model.blob), name, most });
  if (!graph) {
    const rule = 'must have a graph between owners that is its own';
    const members = card.ensemble?.members ?? [card];
    const kinds = new Set(members.map(({ config: { method, graph: kind } }) => `method ${method}, graph ${kind}`));
    throw new F3Error('F3_MODEL_GRAPH', `${name}: ${rule}, got ${[...kinds].join('; ')}`);
  }
  const { kind, pairs, mean, histogram, edges } = graph;
  const shown: Omit<ModelGraph, 'edges'> = {
    model: version,
    kind,
    owners: card.owners.map(({ owner }) => owner),
    pairs,
    mean: Number.isFinite(mean) ? mean : null,
    histogram,
  };
  return `${JSON.stringify(shown).slice(0, -1)},"edges":${edges}}`;
}
