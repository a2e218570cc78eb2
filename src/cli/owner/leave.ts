// `f3 owner leave`: lets a member leave its federation.
import { Command } from 'commander';
import { errorCode, F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { Membership } from '../../exchange/identity/home.ts';
import type { Departure, HeldBundle, LeaveRequest } from '../../exchange/messages.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
  memberClient,
} from '../federation/member-client.ts';
import { shortId } from '../federation/training-id.ts';
import { printResult } from '../run-command.ts';
import { forgetMembership, requireForgettable } from './forget-membership.ts';

interface Options extends MemberOptions {
  federation?: string;
  deleteBundles?: boolean;
  despiteModels?: boolean;
  forget?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function leaveCommand(): Command {
  const command = new Command('leave')
    .description('take ourselves out of a federation: our key is refused from then on, our bundles no longer count')
    .option('--delete-bundles', 'have the coordinator delete what we sent')
    .option('--despite-models', 'with --delete-bundles: also what models learned from, which can then not be refitted')
    .option('--forget', 'remove our key and membership from this machine, too')
    .option('--yes', 'do it; without it, the command only says what would happen')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Models that learned from our bundles stay as they are: leaving does not unlearn. Later trainings leave us out. To come back
takes a new code from the operator, and a new key. What was spent on noise, and the limits, stay even with --forget: what has left
has left.

Examples:
  f3 owner leave                        # tells what would happen
  f3 owner leave --yes --delete-bundles --forget`,
    )
    .action(runLeave);
}

async function runLeave(options: Options): Promise<void> {
  const { deleteBundles = false, despiteModels = false, forget = false, yes, json } = options;
  if (despiteModels && !deleteBundles) {
    throw new F3Error('F3_OPTION', '--despite-models: is for --delete-bundles only');
  }
  const rank = ({ role }: { role: string }) => (role === 'operator' ? -1 : 0);
  const { client, membership, key, home } = await memberClient({ ...options, rank });
  if (forget) requireForgettable(home, key);
  if (!yes) {
    const bundles = membership.role === 'owner' ? await client.bundles(membership.federation as string) : [];
    process.stdout.write(`${previewText(membership, bundles, deleteBundles)}\n`);
    throw new F3Error('F3_OPTION', 'leave: cannot be undone; --yes says that it shall be');
  }
  const request: LeaveRequest = { bundles: deleteBundles ? 'delete' : 'keep' };
  if (despiteModels) request.despite = 'models';
  const left = await leave(client, membership.federation as string, request);
  if (forget) forgetMembership(home, key);
  const place = forget ? 'our key is removed from this machine' : `our key stays in ${key}; it opens nothing any more`;
  printResult({ ...left, forgotten: forget }, `${leftText(membership, left)}\n${place}`, json);
}

/** If the answer is lost, the request is sent again. A refusal of the key then means that the first request succeeded. */
async function leave(
  client: CoordinatorClient,
  federation: string,
  request: LeaveRequest,
): Promise<Departure | undefined> {
  try {
    return await client.leave(federation, request);
  } catch (error) {
    if (errorCode(error) === 'F3_AUTH_REVOKED') return undefined;
    throw error;
  }
}

function previewText(
  { owner, federation }: Membership,
  bundles: readonly HeldBundle[],
  deleteBundles: boolean,
): string {
  const models = [...new Set(bundles.flatMap((bundle) => bundle.models))].sort((a, b) => a - b);
  return [
    `${owner} would leave federation ${federation}: its key would be refused from then on, later trainings would leave it out`,
    `${bundles.length} bundle versions would be ${deleteBundles ? 'deleted' : 'kept; --delete-bundles deletes them'}`,
    models.length > 0
      ? `model ${models.join(', ')} learned from them and would stay as it is`
      : 'no model learned from it',
  ].join('\n');
}

function leftText({ owner, federation }: Membership, left: Departure | undefined): string {
  if (!left) return `${owner} is no longer a member of federation ${federation}: its key was revoked before`;
  const { models, trainings, deleted, kept = [], activeModel } = left;
  const active = activeModel !== null && models.includes(activeModel) ? `, model ${activeModel} is the active one` : '';
  return [
    `${owner} has left federation ${federation}; its key is refused from now on, later trainings leave it out`,
    deleted ? `deleted: ${countText(deleted)}` : `kept there: ${countText(kept)}`,
    models.length > 0
      ? `model ${models.join(', ')} learned from what ${owner} sent and predicts as before${active}`
      : `no model learned from what ${owner} sent`,
    ...trainings.map((id) => `training ${shortId(id)}, asked for before, still learns from it`),
  ].join('\n');
}

const countText = (versions: readonly number[]): string =>
  versions.length === 0 ? 'no bundle' : `bundle version ${versions.join(', ')}`;
