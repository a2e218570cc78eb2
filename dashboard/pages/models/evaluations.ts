// Evaluations of models on their validation parts, asked for one after the other, since each takes the coordinator a moment.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ModelEvaluation } from '../../../src/exchange/messages/evaluation.ts';
import { returns } from '../../coordinator/connection.ts';
import { ask, inFederation, Refusal } from '../../coordinator/request.ts';

/** By `federation/version`. A stored model never changes, and neither does its evaluation. */
export const evaluations = signal<ReadonlyMap<string, ModelEvaluation>>(new Map());
/** Why there is none. */
export const refusals = signal<ReadonlyMap<string, Refusal>>(new Map());

const asked = new Set<string>();
let last: Promise<unknown> = Promise.resolve();

export function useEvaluations(federation: string, versions: number[]): void {
  const generation = returns.value;
  useEffect(() => {
    for (const version of versions) {
      const key = `${federation}/${version}`;
      if (asked.has(key)) continue;
      asked.add(key);
      last = last.then(() => load(key, inFederation(federation, 'models', version, 'evaluation')));
    }
  }, [federation, versions.join(), generation]);
}

async function load(key: string, path: string): Promise<void> {
  try {
    const evaluation = await ask<ModelEvaluation>(path);
    evaluations.value = new Map(evaluations.value).set(key, evaluation);
  } catch (error) {
    if (error instanceof Refusal) refusals.value = new Map(refusals.value).set(key, error);
    else asked.delete(key);
  }
}
