// `f3 owner push`: sends a bundle, or the label holder's labels, once.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { UploadKind } from '../../exchange/messages.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  type MemberOptions,
  memberClient,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { addCodesOptions, type CodesFlags, inCodes } from './codes-options.ts';
import { addNoiseOptions, type NoiseFlags, noiseText, underNoise } from './noise-options.ts';
import { AT_FLAG, AT_TEXT, placeFrom } from './place-options.ts';
import {
  addPseudonymOptions,
  type PseudonymFlags,
  type PseudonymousSender,
  underPseudonyms,
} from './pseudonym-options.ts';
import { addRecoveryOptions, type RecoveryFlags } from './recovery-gate.ts';

interface Options extends MemberOptions, CodesFlags, NoiseFlags, PseudonymFlags, RecoveryFlags {
  labels?: string;
  at?: string;
  newWidth?: boolean;
  again?: boolean;
  share?: boolean;
  charter?: string;
  federation?: string;
  json?: boolean;
}

export function pushCommand(): Command {
  const command = new Command('push')
    .description('send a bundle to the coordinator, once; afterwards you may go offline')
    .argument('[bundle]', 'made by f3 owner embed or f3 bundle from-…')
    .option('--labels <file>', 'instead: labels (Arrow, CSV), by the label holder')
    .option(AT_FLAG, `${AT_TEXT}; f3 owner place changes it`)
    .option('--new-width', 'its embeddings may be of another width than in the last bundle')
    .option('--again', 'one that you sent before and replaced counts once more')
    .option('--share', 'in a federation on shares: entity j gets share j, and nobody gets embeddings')
    .option(
      '--charter <fingerprint>',
      'with --share, the first time: the charter, as the operator of an entity told you',
    )
    .option('--private', 'the noise that we advise after f3 owner train --bottleneck (docs/privacy.md); remembered')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  addRecoveryOptions(addNoiseOptions(addPseudonymOptions(addCodesOptions(command))));
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The file is checked here first, then sent in chunks under its hash. A dropped line is taken up again where it broke, also by
the same command later on; a bundle that the coordinator has is not sent again. It counts whole or not at all.

With --share the embeddings are split here. Every entity gets one share, over a line of its own; the coordinator gets sample ids and
the signed commitments. The fingerprint of the charter says who the entities are: ask the operator of one that you trust for
it. It is remembered, and another one is refused from then on. Votes stay here.
--encode quantiles shares, for each number, how far it has come through bins between your own quantiles: models on shares learn more from such codes.
All owners of a federation take the same --bins. Quantiles stay here, and f3 owner stream --share codes live samples with them.

Examples:
  f3 owner push bundles/plant-7.arrow
  f3 owner push bundles/plant-7.arrow --federation grid
  f3 owner push bundles/plant-7.arrow --at 34.15,-118.3
  f3 owner push bundles/plant-7.arrow --pseudonyms https://keys.example.org:7710 --pseudonyms-code CODE
  f3 owner push bundles/plant-7.arrow --private
  f3 owner push bundles/plant-7.arrow --clip 2 --noise 1.5 --max-epsilon 4
  f3 owner push bundles/plant-7.arrow --share --charter FINGERPRINT
  f3 owner push bundles/plant-7.arrow --share --encode quantiles --bins 8
  f3 owner push --labels data/labels.arrow`,
    )
    .action(runPush);
}

async function runPush(bundle: string | undefined, options: Options): Promise<void> {
  const { labels, at, newWidth = false, again = false, share = false, charter, json, ...member } = options;
  if ((bundle === undefined) === (labels === undefined)) {
    throw new F3Error('F3_OPTION', 'push: must be given a bundle or --labels, one of them');
  }
  if (labels !== undefined) refuseForLabels(options);
  if (share && labels !== undefined) throw new F3Error('F3_OPTION', '--share: is for bundles, got --labels');
  if (charter !== undefined && !share) throw new F3Error('F3_OPTION', '--charter: is for --share only');
  if (at !== undefined && labels !== undefined) throw new F3Error('F3_OPTION', '--at: is for bundles, got --labels');
  const place = at === undefined ? undefined : await placeFrom(at);
  const kind: UploadKind = labels === undefined ? 'bundle' : 'labels';
  const rank = ({ role }: { role: string }) => (role === (kind === 'bundle' ? 'owner' : 'labels') ? 0 : -1);
  const { client, membership, key, home } = await memberClient({ ...member, rank });
  const { federation, owner, url } = membership;
  const sender = { membership, key, home };
  if (kind === 'bundle' && !share) await refuseOpenly(sender);
  const plain = labels === undefined ? await readOwnBundle(bundle as string, owner) : await readLabelBytes(labels);
  const allowed = labels === undefined ? await underNoise(plain, options, sender) : undefined;
  // Quantiles of what the noise has left are no more than the noise allows.
  const coded = await inCodes(allowed?.bytes ?? plain, options, sender);
  const bytes = await underPseudonyms(coded?.bytes ?? allowed?.bytes ?? plain, kind, options, sender);
  // What may be refused comes first; where we are is told with a bundle that is on its way.
  if (place) await client.tellCoordinates(federation as string, place);
  const settle = () => allowed?.settle();
  if (share) {
    const { runSharesPush } = await import('./push-shares-run.ts');
    return runSharesPush({ client, sender, bytes, charter, newWidth, again, settle, coded, json });
  }
  const paid = settle();
  const stored = await withProgress((progress) => {
    const onProgress = (received: number, size: number) => progress(`sending ${kind}`, received, size);
    return client.upload(federation as string, kind, bytes, onProgress, { newWidth, again });
  });
  const { version, newest, sha256, sent } = stored;
  const done = sent === 0 ? 'was there already' : `${shownSize(bytes.byteLength)} sent`;
  const overtaken = version < newest ? `\nversion ${newest} counts, not this one; --again makes this one count` : '';
  const text = `${kind} of ${owner}, version ${version} in federation ${federation} at ${url}: ${done}\nsha256 ${sha256}${overtaken}${paid ? `\n${noiseText(paid)}` : ''}`;
  const facts = { federation, owner, kind, version, newest, sha256, bytes: bytes.byteLength, sent };
  printResult(paid ? { ...facts, privacy: paid.spent } : facts, text, json);
}

/** Labels have no noise, no votes and no audit: whoever asks for them with labels means something else. */
function refuseForLabels(options: Options): void {
  const { private: isPrivate, clip, noise, maxEpsilon, delta, maxRecovery, auditData, despiteAudit } = options;
  const given = {
    '--private': isPrivate,
    '--clip': clip,
    '--noise': noise || undefined,
    '--max-epsilon': maxEpsilon,
    '--delta': delta,
  };
  const audit = { '--max-recovery': maxRecovery, '--audit-data': auditData, '--despite-audit': despiteAudit };
  for (const [flag, value] of Object.entries({ ...given, ...audit })) {
    if (value !== undefined) throw new F3Error('F3_OPTION', `${flag}: is for bundles, got --labels`);
  }
}

/** An owner that has agreed to a charter sends embeddings to nobody by mistake, whatever the coordinator says. */
export async function refuseOpenly({ membership, home }: PseudonymousSender): Promise<void> {
  const { membershipFolder } = await import('../../exchange/identity/home.ts');
  const { pinnedFingerprint } = await import('../../shares/owner/pinned-charter.ts');
  const { federation, owner, url } = membership;
  if (pinnedFingerprint(membershipFolder(home, federation, url)) === undefined) return;
  const rule = `must be sent in shares, since a charter of federation ${federation} was agreed to`;
  throw new F3Error('F3_SHARES_ONLY', `embeddings of ${owner}: ${rule}, got none asked for`);
}

/** Checks the bundle as the coordinator would, before anything is sent. */
async function readOwnBundle(file: string, owner: string): Promise<Uint8Array> {
  const { readBundleFile } = await import('../../exchange/bundle/bundle-file.ts');
  const { decodeBundle } = await import('../../exchange/bundle/bundle.ts');
  const { requireSound } = await import('../../exchange/bundle/check-bundle.ts');
  const bytes = await readBundleFile(file);
  const bundle = decodeBundle(bytes, file);
  for (const { message } of requireSound(bundle)) process.stderr.write(`warning: ${message}\n`);
  if (bundle.owner === owner) return bytes;
  throw new F3Error('F3_OWNER_MISMATCH', `bundle ${file}: owner must be the member's ${owner}, got ${bundle.owner}`);
}

/** Returns an Arrow file as it is, and a table converted to Arrow. */
async function readLabelBytes(file: string): Promise<Uint8Array> {
  const { isArrowFile, readLabels } = await import('../../exchange/labels/label-sources.ts');
  const labelSet = await readLabels(file);
  if (isArrowFile(file)) {
    const { readBundleFile } = await import('../../exchange/bundle/bundle-file.ts');
    return readBundleFile(file);
  }
  const { encodeLabels } = await import('../../exchange/labels/labels.ts');
  return encodeLabels(labelSet);
}
