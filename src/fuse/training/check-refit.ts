// [coordinator] What a refit must keep of the model: its split and the other owners' bundles; and what must be new: the owner's own.
import { F3Error } from '../../errors.ts';
import type { JoinedOwner } from '../join/bundle-join.ts';
import { describeSplit, type SplitIdentity } from '../join/split-identity.ts';

/**
 * The model was trained with its training part. Under another split some of those samples would validate and test it, and
 * the scores would be too good. A model of an older f3 has no split on record, and takes any.
 */
export function checkRefitSplit(owner: string, kept: SplitIdentity | undefined, given: SplitIdentity): void {
  if (!kept || kept.sha256 === given.sha256) return;
  const [was, got] = [describeSplit(kept), describeSplit(given)];
  const found = was === got ? `${got} over other samples` : got;
  throw refusal(owner, `the split must be the one the model was made with (${was})`, found);
}

/** `now`: the bundles at hand, in the order of the model's owners. Frozen alignments fit only the bundles they were learned from. */
export function checkRefitBundles(
  owner: string,
  owners: readonly JoinedOwner[],
  now: readonly Pick<JoinedOwner, 'bundle'>[],
): void {
  for (const [slot, { owner: id, bundle }] of owners.entries()) {
    const found = now[slot].bundle;
    if (id === owner || found === bundle) continue;
    const rule = `the bundle of owner ${id} must be the one the model was made with`;
    throw refusal(owner, rule, found === '' ? 'none' : 'another');
  }
  const own = owners.findIndex((entry) => entry.owner === owner);
  if (owners[own]?.bundle !== now[own]?.bundle) return;
  throw refusal(owner, 'its bundle must be another than the one the model was made with', 'the same');
}

const refusal = (owner: string, rule: string, got: string) =>
  new F3Error('F3_MODEL_REFIT', `refit ${owner}: ${rule}, got ${got}`);
