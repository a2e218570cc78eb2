// `f3 owner status`: shows this machine's membership, and what the coordinator holds of its owner.
import { Command } from 'commander';
import { coordinatesText } from '../../exchange/coordinates.ts';
import type { FederationStatus, HeldBundle, OpenUpload } from '../../exchange/messages.ts';
import { memberText } from '../federation/in-force.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
  memberClient,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { factLines, indented, type TextColumn, tableLines } from '../terminal/table.ts';
import { bundleColumns } from './bundles.ts';
import { ownPrivacy } from './own-privacy.ts';

interface Options extends MemberOptions {
  federation?: string;
  json?: boolean;
}

const uploadColumns: TextColumn<OpenUpload>[] = [
  { title: 'upload under way', cell: ({ kind }) => kind },
  { title: 'sent', cell: ({ received }) => shownSize(received) },
  { title: 'of', cell: ({ size }) => shownSize(size) },
  { title: 'last heard of (UTC)', cell: ({ touched }) => shownTime(touched) },
];

export function ownerStatusCommand(): Command {
  const command = new Command('status')
    .description('our membership, which bundle versions the coordinator holds, and whether the active model knows us')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nFor owners and label holders; f3 federation status shows operators the whole federation.')
    .action(runStatus);
}

async function runStatus({ json, ...options }: Options): Promise<void> {
  const rank = ({ role }: { role: string }) => (role === 'operator' ? -1 : 0);
  const { client, membership, key, home } = await memberClient({ ...options, rank });
  const { url, owner, role } = membership;
  const federation = membership.federation as string;
  const [me, status, uploads] = [
    await client.me(), // also proves that the key is still good
    await client.status(federation),
    await client.openUploads(federation),
  ];
  const bundles = role === 'owner' ? await client.bundles(federation) : [];
  const ownPlace = role === 'owner' ? (status.owners[0]?.coordinates ?? null) : null;
  const privacy = await ownPrivacy({ membership, home });
  const facts = factLines([
    ['coordinator', url],
    ['joined (UTC)', shownTime(me.joined)],
    ['key', `${me.keyId.slice(0, 8)}… in ${key}`],
    ['owners', status.counts && `${status.counts.owners}, ${status.counts.bundles} with a bundle`],
    ['labels', status.counts && (status.counts.labels > 0 ? `version ${status.counts.labels}` : 'none yet')],
    ['active model', activeText(status, bundles, role === 'owner')],
    ['place', ownPlace && coordinatesText(ownPlace)],
    ...privacy.lines,
    ['bundle', role === 'owner' && bundles.length === 0 ? 'none sent yet; next: f3 owner push' : undefined],
  ]);
  const text = [
    memberText(membership),
    ...indented(facts),
    ...(bundles.length > 0 ? ['', ...tableLines(bundleColumns, bundles)] : []),
    ...(uploads.length > 0 ? ['', ...tableLines(uploadColumns, uploads)] : []),
  ];
  const { activeModel = null, counts } = status;
  const includes = bundles.find(({ models }) => activeModel !== null && models.includes(activeModel))?.version ?? null;
  const found = { url, federation, owner, role, keyId: me.keyId, joined: me.joined, key, coordinates: ownPlace };
  printResult(
    { ...found, counts, activeModel, activeModelLearnedFrom: includes, bundles, uploads, privacy: privacy.facts },
    text.join('\n'),
    json,
  );
}

function activeText({ activeModel }: FederationStatus, bundles: readonly HeldBundle[], isOwner: boolean): string {
  if (activeModel === null || activeModel === undefined) return 'none yet';
  if (!isOwner) return String(activeModel);
  const known = bundles.filter(({ models }) => models.includes(activeModel));
  const counted = bundles.find(({ counts }) => counts);
  if (known.length === 0) return `${activeModel}, which has not learned from us`;
  if (counted && known.includes(counted))
    return `${activeModel}, which learned from version ${counted.version} that counts`;
  const newer = counted ? `, not from version ${counted.version} that counts: it was trained before` : '';
  return `${activeModel}, which learned from version ${known[0].version}${newer}`;
}
