// `f3 owner place`: tells where we are, for the map of operators and label holders, or takes it back.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { coordinatesText } from '../../exchange/coordinates.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
  memberClient,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { AT_FLAG, AT_TEXT, placeFrom } from './place-options.ts';

interface Options extends MemberOptions {
  at?: string;
  forget?: boolean;
  federation?: string;
  json?: boolean;
}

export function placeCommand(): Command {
  const command = new Command('place')
    .description('tell where we are, for the map in the dashboard, or take it back')
    .option(AT_FLAG, AT_TEXT)
    .option('--forget', 'take back what we told; the coordinator keeps none of it')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Nobody has to tell where it is, and nobody else can tell it for us. Operators and label holders see it, other owners do not;
the audit log says that we told, not where. Fewer digits tell less: 34.15 is a district, 34.1523 a street. It is forgotten when
we leave.

Examples:
  f3 owner place --at 34.15,-118.3
  f3 owner place --at data/metr-la/owners/773869/place.json
  f3 owner place --forget`,
    )
    .action(runPlace);
}

async function runPlace({ at, forget = false, json, ...options }: Options): Promise<void> {
  if ((at === undefined) !== forget) {
    throw new F3Error('F3_OPTION', 'place: must be given --at or --forget, one of them');
  }
  const place = at === undefined ? null : await placeFrom(at);
  const rank = ({ role }: { role: string }) => (role === 'owner' ? 0 : -1);
  const { client, membership } = await memberClient({ ...options, rank });
  const { owner, federation } = membership;
  await client.tellCoordinates(federation as string, place);
  const text = place ? `is at ${coordinatesText(place)}` : 'no longer tells where it is';
  printResult({ federation, owner, coordinates: place }, `${owner} in federation ${federation} ${text}`, json);
}
