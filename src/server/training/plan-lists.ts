// [coordinator] The lists of a plan that may name every sample and every owner. Long ones are packed into one text: the thread that
// serves requests stores and reads plans, and never looks into them.
import { deflateSync, inflateSync } from 'node:zlib';
import type { SplitChoice, SplitIds } from '../../exchange/labels/split-sources.ts';
import type { GivenGraph } from '../../fuse/join/given-graph.ts';
import type { SplitFacts } from './split-digest.ts';
import type { TrainingPlan } from './training-plan.ts';

/** What a plan or a request has of them. */
export interface PlanLists {
  /** The seed of a random split, or the ids of each part. */
  split?: SplitChoice | undefined;
  adjacency?: GivenGraph | undefined;
  /** Ids and graph in one text, instead of the above. */
  packed?: string | undefined;
}

/** A split as a plan keeps it, and what is known of it. */
export interface KeptSplit {
  lists: PlanLists;
  facts: SplitFacts;
}

interface LongLists {
  split?: SplitIds;
  adjacency?: GivenGraph;
}

export function packLists({ split, adjacency }: PlanLists): PlanLists {
  const isLong = typeof split === 'object';
  const lists: LongLists = { ...(isLong && { split }), ...(adjacency && { adjacency }) };
  if (Object.keys(lists).length === 0) return { split };
  const packed = deflateSync(JSON.stringify(lists), { level: 1 }).toString('base64');
  return { ...(!isLong && split !== undefined && { split }), packed };
}

/** The lists themselves. Called in threads that learn, score or plan. */
export function unpackLists({ split, adjacency, packed }: PlanLists): Omit<PlanLists, 'packed'> {
  if (packed === undefined) return { split, adjacency };
  const lists = JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString()) as LongLists;
  return { split: lists.split ?? split, adjacency: lists.adjacency };
}

/** The split of a plan, in whichever form it was kept. */
export function unpackSplit(lists: PlanLists): SplitChoice {
  const { split } = unpackLists(lists);
  if (split === undefined) throw new Error('a plan must have a split');
  return split;
}

/** The fields of a plan that keep its lists, with what is known of the split. */
export function keptLists({ split, adjacency, packed }: PlanLists, facts: SplitFacts): Partial<TrainingPlan> {
  const inline = typeof facts === 'number' ? facts : split;
  return {
    ...(inline !== undefined && { split: inline }),
    ...(adjacency && { adjacency }),
    ...(packed !== undefined && { packed }),
    ...(typeof facts === 'object' && { parts: facts }),
  };
}
