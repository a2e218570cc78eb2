// What a model found of a truth that is known, as `f3 data simulate planted` writes it: linked owners, permutations.
import { join } from 'node:path';
import { readText, unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { parseGraph } from '../../exchange/labels/graph-csv.ts';
import type { ModelInsight } from '../../fuse/model/inspect-model.ts';
import { edgeRecovery, permutationRecovery } from '../../fuse/scores/recovery.ts';

/** Only what the model has learned can be compared. */
export interface TruthFound {
  /** ROC AUC of edge probabilities, linked pairs against others. */
  edges?: number;
  /** Share of the owners' numbers that their alignments put in the right place. */
  permutations?: number;
}

/** `dir`: with adjacency.csv and permutations.json, the owners in the order of the model's */
export async function compareWithTruth({ card, graph, alignment }: ModelInsight, dir: string): Promise<TruthFound> {
  const owners = card.owners.length;
  const found: TruthFound = {};
  if (graph?.kind === 'learned') {
    const file = join(dir, 'adjacency.csv');
    found.edges = edgeRecovery(graph.probabilities, parseGraph(await readText(file), owners, file), owners);
  }
  if (alignment) {
    const file = join(dir, 'permutations.json');
    found.permutations = permutationRecovery(
      alignment.matrices,
      await readPermutations(file, owners, alignment.columns),
    );
  }
  return found;
}

export function truthLines(dir: string, { edges, permutations }: TruthFound): string[] {
  const nothing = edges === undefined && permutations === undefined;
  return [
    `truth ${dir}`,
    ...(edges === undefined
      ? []
      : [`  edges         ROC AUC ${edges.toFixed(3)}, linked owners against others; 0.5 is a guess`]),
    ...(permutations === undefined
      ? []
      : [`  permutations  ${(100 * permutations).toFixed(1)} % of the owners’ numbers are put where they belong`]),
    ...(nothing ? ['  this model has learned neither a graph nor alignments'] : []),
  ];
}

async function readPermutations(file: string, owners: number, width: number): Promise<number[][]> {
  const text = await readText(file);
  const rule = `must be a list of ${owners} permutations of 0 to ${width - 1}, one per owner of the model`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw unreadable(file, cause, 'must be JSON');
  }
  const isPermutation = (list: unknown): boolean =>
    Array.isArray(list) && list.length === width && [...list].sort((a, b) => a - b).every((value, k) => value === k);
  if (Array.isArray(parsed) && parsed.length === owners && parsed.every(isPermutation)) return parsed;
  throw new F3Error('F3_DATA_FORMAT', `${file}: ${rule}, got ${text.trim().slice(0, 60)}`);
}
