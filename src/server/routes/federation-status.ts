// [coordinator] Shows a member what it may see of its federation: who joined, sent what, is invited, and what was trained.
import type { Quotas } from '../../exchange/quotas.ts';
import { latestBundles } from '../../storage/bundles.ts';
import { coordinatesOf } from '../../storage/coordinates.ts';
import { requireFederation } from '../../storage/federations.ts';
import { listOpenInvitations } from '../../storage/invitations.ts';
import { holdersToldExactly } from '../../storage/label-rules.ts';
import { latestLabelSet } from '../../storage/label-sets.ts';
import { listMembers } from '../../storage/members.ts';
import { listNewestModels, modelState } from '../../storage/models.ts';
import { quotasOf, quotaUsage } from '../../storage/quotas.ts';
import type { Db, InvitationRow, MemberRow } from '../../storage/schema.ts';
import { findCharter } from '../../storage/share-charters.ts';
import { listNewestTrainings } from '../../storage/trainings.ts';
import { countWorkers } from '../../storage/workers.ts';
import type { LastSeen } from '../tokens/last-seen.ts';
import { toldProgress } from '../training/disclosure.ts';

/** So many trainings and models are shown, and those in use: lists of them all have routes of their own. */
const NEWEST = 100;

/** An owner sees its own entry and how many owners there are, but not what others sent. Only operators see invitations. */
export async function federationStatus(db: Db, name: string, member: MemberRow, standard: Quotas, lastSeen: LastSeen) {
  const federation = await requireFederation(db, name);
  const [members, bundles, labels] = [
    (await listMembers(db, name)).filter(({ revoked }) => !revoked),
    await latestBundles(db, name),
    await latestLabelSet(db, name),
  ];
  const sent = new Map(bundles.map((bundle) => [bundle.owner, bundle]));
  const owners = members
    .filter(({ role }) => role === 'owner')
    .map((row) => {
      const { id, owner, joined } = row;
      const bundle = sent.get(owner);
      return {
        owner,
        joined,
        lastSeen: lastSeen.of(id, joined, bundle?.created),
        coordinates: coordinatesOf(row),
        privacy: bundle?.summary.privacy ?? null,
        bundle: bundle
          ? { version: bundle.version, sha256: bundle.sha256, received: bundle.created, ...bundle.summary }
          : null,
      };
    });
  const whose = member.role === 'operator' ? undefined : member.owner;
  const quotas = await quotaUsage(db, name, await quotasOf(db, name, standard), whose);
  const charter = await findCharter(db, name);
  const common = {
    name,
    classes: federation.classes,
    activeModel: federation.activeModel,
    quotas,
    ...(charter && { charter: charter.fingerprint }),
  };
  const counts = { owners: owners.length, bundles: bundles.length, labels: labels?.version ?? 0 };
  if (member.role === 'owner')
    return { ...common, counts, owners: owners.filter(({ owner }) => owner === member.owner) };
  const labelHolders = members
    .filter(({ role }) => role === 'labels')
    .map(({ id, owner, joined }) => {
      const own = labels?.member === id ? { version: labels.version, ...labels.summary } : null;
      return { owner, joined, lastSeen: lastSeen.of(id, joined), labels: own };
    });
  const exact = await holdersToldExactly(db, member.id);
  const trainings = (await listNewestTrainings(db, name, NEWEST)).map((training) => {
    const { id, status, place, worker, modelVersion, promotion, error, created } = training;
    return {
      id,
      state: status,
      progress: toldProgress(training, exact),
      place,
      worker: member.role === 'operator' ? worker : null,
      model: modelVersion,
      promotion,
      error,
      created,
    };
  });
  const newestModels = await listNewestModels(db, name, { newest: NEWEST, active: federation.activeModel });
  const models = newestModels.map((model) => {
    const { version, training, created } = model;
    return { version, state: modelState(model, federation.activeModel), training, created };
  });
  const workers = await countWorkers(db);
  const seen = { ...common, counts, owners, labelHolders, trainings, models, workers };
  if (member.role !== 'operator') return seen;
  return { ...seen, invitations: (await listOpenInvitations(db, name)).map((one) => listedInvitation(one)) };
}

/** An invitation as lists show it, without the hash of its code. */
export const listedInvitation = ({ id, owner, role, created, expires }: InvitationRow, now: Date = new Date()) => ({
  id,
  owner,
  role,
  created,
  expires,
  expired: expires <= now,
});
