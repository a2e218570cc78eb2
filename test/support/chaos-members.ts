// Members that go on working while the coordinator is killed: they try again for as long as a restart takes.
import { encodeArrow, textColumn } from '../../src/base/arrow-table.ts';
import { encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../../src/exchange/client/coordinator-client.ts';
import type { Fetch } from '../../src/exchange/client/tls-fetch.ts';
import { createKeyPair, loadKeyPair } from '../../src/exchange/identity/key-pair.ts';
import type { Role } from '../../src/exchange/messages.ts';
import { toyBundle, toyId, toyLabels } from './toy-bundles.ts';

const OWNERS = 4;
const SAMPLES = 200;
/** The training takes a second or two: long enough to report more than once and then be killed. */
const PLAN = { config: { epochs: 200, patience: 200, hidden: 4, batch: 1 }, split: 1 };
const BACK_OFF = { attempts: 10_000, first: 50, longest: 300 };

export interface Members {
  operator: CoordinatorClient;
  /** Owner 0 in the federation `depot`. */
  owner: CoordinatorClient;
}

/** Makes two federations: `grid` has all it needs to train, `depot` has an owner who has sent nothing yet. */
export async function makeMembers(url: string, operatorKey: string, fetch: Fetch): Promise<Members> {
  const operator = new CoordinatorClient({ url, keys: await loadKeyPair(operatorKey), backOff: BACK_OFF, fetch });
  const enrol = async (federation: string, owner: string, role: Role) => {
    const { code } = await operator.invite(federation, { owner, role });
    const keys = await createKeyPair();
    await new CoordinatorClient({ url }).enrol(code, keys);
    return new CoordinatorClient({ url, keys, backOff: BACK_OFF, fetch });
  };
  for (const name of ['grid', 'depot']) await operator.createFederation(name);
  for (let owner = 0; owner < OWNERS; owner++) {
    const client = await enrol('grid', `owner-${owner}`, 'owner');
    await client.upload('grid', 'bundle', bundleOf(owner, { version: 1, samples: SAMPLES }));
  }
  const holder = await enrol('grid', 'holder', 'labels');
  await holder.upload('grid', 'labels', labels());
  await holder.setLabelRules('grid', { trainings: 1_000_000 });
  return { operator, owner: await enrol('depot', 'owner-0', 'owner') };
}

export const startTraining = (operator: CoordinatorClient): Promise<{ id: string }> => operator.train('grid', PLAN);

/** SHA-256 of the weights that the training ends with. */
export async function waitForWeights(
  operator: CoordinatorClient,
  id: string,
  onEpoch?: (epoch: number) => void,
): Promise<string> {
  for await (const { state, epoch } of operator.trainingEvents('grid', id)) {
    if (state === 'running' && epoch !== undefined) onEpoch?.(epoch);
  }
  const { state, model } = await operator.training('grid', id);
  if (state !== 'done' || !model) throw new Error(`training ${id} must end as done, got ${state}`);
  return String((await operator.model('grid', model)).weights);
}

/** All models are trained alike, so the answer is the same whichever is active; its number is not. */
export async function predict(operator: CoordinatorClient): Promise<unknown> {
  const embeddings = Object.fromEntries(
    Array.from({ length: OWNERS - 1 }, (_, i) => [`owner-${i}`, Array.from(toyBundle(i).embeddings.subarray(0, 4))]),
  );
  return (await operator.predict('grid', { samples: [{ id: 's', embeddings }] })).predictions;
}

/** Every version has other embeddings, so that none is taken for an earlier one. */
export function bundleOf(owner: number, { version, samples }: { version: number; samples: number }): Uint8Array {
  const bundle = toyBundle(owner, { samples, width: () => (samples > SAMPLES ? 16 : 4) });
  return encodeBundle({ ...bundle, embeddings: bundle.embeddings.map((value) => value + (version - 1) / 1024) });
}

function labels(): Uint8Array {
  const sample = textColumn(Array.from({ length: SAMPLES }, (_, s) => toyId(s)));
  return encodeArrow({ sample, label: textColumn(Array.from(toyLabels(SAMPLES, 2, 1), (label) => `c${label}`)) }, {});
}
