// What a model has learned, by the owners' names: edges, alignments, and what each owner's absence costs.
import type { Engine } from '../core/engine/engine.ts';
import { type FusionInput, freeInput } from '../fuse/join/fusion-input.ts';
import { type FusedModel, predictProbabilities } from '../fuse/model/fused-model.ts';
import { modelParts } from '../fuse/model/inspect-model.ts';
import { alignmentOf, type Matrix } from '../fuse/model/owner-alignment.ts';
import { edgesByStrength } from '../fuse/model/owner-graph.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { scores } from '../fuse/scores/scores.ts';
import { withoutOwners } from '../infer/absent-owners.ts';
import type { ReadingOptions } from './read-bundles.ts';

/** An edge of the consensus graph, between two owners. */
export interface ExplainedEdge {
  from: string;
  to: string;
  /** The learned probability, 1 for an edge of a given graph, or the similarity of nearest neighbours. */
  probability: number;
}

/** Scores without one owner, less the scores with everybody: negative where the owner is missed. */
export interface AbsenceCost {
  owner: string;
  /** Difference of the F1. */
  f1: number;
  /** Difference of the ROC AUC. */
  auc: number;
}

/** What a model has learned, by the owners' names. */
export interface Explanation {
  /** Pairs of owners by strength, the strongest first; empty where the model has no graph of its own. */
  edges: ExplainedEdge[];
  /** P_i by owner: [common dimension, own dimension]; empty without alignment. */
  alignments: Map<string, Matrix>;
  /** Owners by what their absence costs, the dearest first. Only with labelled samples. */
  absence?: AbsenceCost[];
}

/** How to explain a model. */
export interface ExplanationOptions extends ReadingOptions {
  /** How many sampled graphs are averaged, or the mean graph. By default the model's config decides. */
  graphs?: PredictionGraphs | undefined;
}

export async function explainModel(
  engine: Engine,
  model: FusedModel,
  input: FusionInput | undefined,
  { graphs, signal }: ExplanationOptions,
): Promise<Explanation> {
  const { owners } = model.facts;
  const { graph, alignment } = modelParts(model);
  const edges = graph ? edgesByStrength(graph) : [];
  const explanation: Explanation = {
    edges: edges
      .filter(({ probability }) => graph?.kind === 'learned' || probability > 0)
      .map(({ ends: [from, to], probability }) => ({ from: owners[from].owner, to: owners[to].owner, probability })),
    alignments: new Map(
      alignment ? owners.map(({ owner, width }, slot) => [owner, alignmentOf(alignment, slot, width)]) : [],
    ),
  };
  if (input) explanation.absence = await absenceCosts(engine, model, input, graphs, signal);
  return explanation;
}

async function absenceCosts(
  engine: Engine,
  model: FusedModel,
  { joined, labels, split }: FusionInput,
  graphs: PredictionGraphs | undefined,
  signal: AbortSignal | undefined,
): Promise<AbsenceCost[]> {
  const rows = split.test;
  const truth = Int32Array.from(rows, (row) => labels.labels[row]);
  const all = Uint32Array.from(rows.keys());
  const scored = (absent: ReadonlySet<number>) => {
    const left = withoutOwners(engine, joined, rows, absent);
    const probabilities = predictProbabilities(engine, model, left, all, graphs);
    freeInput(engine, { joined: left });
    return scores(probabilities, truth, labels.classes.length, model.facts.decision);
  };
  const everybody = scored(new Set());
  const costs: AbsenceCost[] = [];
  for (const [slot, { owner }] of joined.owners.entries()) {
    signal?.throwIfAborted();
    const { f1, auc } = scored(new Set([slot]));
    costs.push({ owner, f1: f1 - everybody.f1, auc: auc - everybody.auc });
    await new Promise(setImmediate); // so that a signal can be heard
  }
  return costs.sort((a, b) => a.f1 - b.f1 || a.auc - b.auc);
}
