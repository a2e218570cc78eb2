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
import { addNoiseOptions, type NoiseFlags, noiseText, underNoise } from './noise-options.ts';
import { addPseudonymOptions, type PseudonymFlags, underPseudonyms } from './pseudonym-options.ts';
import { addRecoveryOptions, type RecoveryFlags } from './recovery-gate.ts';

interface Options extends MemberOptions, NoiseFlags, PseudonymFlags, RecoveryFlags {
  labels?: string;
  newWidth?: boolean;
  again?: boolean;
  federation?: string;
  json?: boolean;
}

export function pushCommand(): Command {
  const command = new Command('push')
    .description('send a bundle to the coordinator, once; afterwards you may go offline')
    .argument('[bundle]', 'made by f3 owner embed or f3 bundle from-…')
    .option('--labels <file>', 'instead: labels (Arrow, CSV), by the label holder')
    .option('--new-width', 'its embeddings may be of another width than in the last bundle')
    .option('--again', 'one that you sent before and replaced counts once more')
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT);
  addRecoveryOptions(addNoiseOptions(addPseudonymOptions(command)));
  return addMemberOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The file is checked here first, then sent in chunks under its hash. A dropped line is taken up again where it broke, also by
the same command later on; a bundle that the coordinator has is not sent again. It counts whole or not at all.

Examples:
  f3 owner push bundles/plant-7.arrow
  f3 owner push bundles/plant-7.arrow --federation grid
  f3 owner push bundles/plant-7.arrow --pseudonyms https://keys.example.org:7710 --pseudonyms-code CODE
  f3 owner push bundles/plant-7.arrow --clip 2 --noise 1.5 --max-epsilon 4
  f3 owner push --labels data/labels.arrow`,
    )
    .action(runPush);
}

async function runPush(bundle: string | undefined, options: Options): Promise<void> {
  const { labels, newWidth = false, again = false, json, ...member } = options;
  if ((bundle === undefined) === (labels === undefined)) {
    throw new F3Error('F3_OPTION', 'push: must be given a bundle or --labels, one of them');
  }
  const kind: UploadKind = labels === undefined ? 'bundle' : 'labels';
  const rank = ({ role }: { role: string }) => (role === (kind === 'bundle' ? 'owner' : 'labels') ? 0 : -1);
  const { client, membership, key, home } = await memberClient({ ...member, rank });
  const { federation, owner, url } = membership;
  const sender = { membership, key, home };
  const plain = labels === undefined ? await readOwnBundle(bundle as string, owner) : await readLabelBytes(labels);
  const noised = labels === undefined ? await underNoise(plain, options, sender) : undefined;
  const bytes = await underPseudonyms(noised?.bytes ?? plain, kind, options, sender);
  const stored = await withProgress((progress) => {
    const onProgress = (received: number, size: number) => progress(`sending ${kind}`, received, size);
    return client.upload(federation as string, kind, bytes, onProgress, { newWidth, again });
  });
  const { version, newest, sha256, sent } = stored;
  const done = sent === 0 ? 'was there already' : `${shownSize(bytes.byteLength)} sent`;
  const overtaken = version < newest ? `\nversion ${newest} counts, not this one; --again makes this one count` : '';
  const text = `${kind} of ${owner}, version ${version} in federation ${federation} at ${url}: ${done}\nsha256 ${sha256}${overtaken}${noised ? `\n${noiseText(noised)}` : ''}`;
  const facts = { federation, owner, kind, version, newest, sha256, bytes: bytes.byteLength, sent };
  printResult(noised ? { ...facts, privacy: noised.spent } : facts, text, json);
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
